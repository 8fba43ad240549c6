/** What the pages show is true: see snippet.ts for how an example is written. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Program } from '../examples/program.js'
import { Project } from './project.js'
import { allSnippets, type Snippet, snippetsOf } from './snippet.js'
import { Surroundings } from './surroundings.js'
import { typeErrors } from './type-check.js'

const snippets = allSnippets()
const examples = snippets.filter(({ example }) => example !== undefined)

describe('the code in README.md and docs/', () => {
  const surroundings = new Surroundings()
  let project: Project
  beforeAll(async () => {
    project = await Project.create()
  })
  afterAll(() => Promise.all([project.remove(), surroundings.end()]))

  test('passes the compiler', { timeout: 120_000 }, () => {
    expect(typeErrors(snippets)).toEqual([])
  })

  test('README.md begins with an example that is run', () => {
    expect(snippets[0]).toMatchObject({ page: 'README.md', example: expect.any(String) })
  })

  test('promises output only where it is run, and has no two examples of one name on a page', () => {
    const idle = snippets.filter(({ example, output }) => example === undefined && output.length > 0)
    expect(idle.map(placeOf)).toEqual([])
    const names = examples.map(({ page, example }) => `${page}: ${example}`)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(examples.map((snippet): [string, Snippet] => [titleOf(snippet), snippet]))(
    '%s runs and prints what it says',
    { timeout: 60_000 },
    async (_title, snippet) => {
      const file = await project.add(snippet)
      const program = new Program(file, [], {
        // One that names no server has its locks in a file of the user.
        HOLDFAST_REDIS_URL: /redis/i.test(snippet.code) ? inject('servers').standalone.url : '',
        XDG_STATE_HOME: project.dir,
        ...(await surroundings.of(snippet)),
      })
      const { code, stdout, stderr } = await program.endWithin(30_000)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(linesOf(stdout)).toEqual(snippet.output.map(patternOf))
    },
  )
})

describe('the check of the pages itself', () => {
  const page = [
    '```ts',
    '// example: sum',
    'console.log(1 + 1) // => 2',
    '```',
    '```sh',
    'ls',
    '```',
    '  ```typescript',
    '  const port: string = 6379',
    '  ```',
    '```ts',
    'await lock.acquire({ waitMillis: 5 })',
    '```',
  ].join('\n')

  test('finds the blocks, their names and what they promise', () => {
    expect(snippetsOf('page.md', page)).toEqual([
      { page: 'page.md', line: 2, code: expect.stringContaining('1 + 1'), example: 'sum', output: ['2'] },
      { page: 'page.md', line: 9, code: expect.any(String), example: undefined, output: [] },
      { page: 'page.md', line: 12, code: expect.any(String), example: undefined, output: [] },
    ])
    expect(() => snippetsOf('page.md', 'text\n```ts\nlet x')).toThrow('page.md:2')
  })

  test('tells what the compiler has against them, by page and line', { timeout: 120_000 }, () => {
    expect(typeErrors(snippetsOf('page.md', page))).toEqual([
      expect.stringMatching(/^page\.md:9: .*'number' is not assignable to type 'string'/),
      expect.stringMatching(/^page\.md:12: .*'waitMillis' does not exist/),
    ])
  })

  test('an ellipsis stands for any text, and nothing else does', () => {
    expect('held by 17:1, 5 ms').toEqual(patternOf('held by …:1, … ms'))
    expect('held by 17:2, 5 ms').not.toEqual(patternOf('held by …:1, … ms'))
    expect('axb').not.toEqual(patternOf('a.b'))
  })
})

function linesOf(output: string): string[] {
  return output === '' ? [] : output.replace(/\n$/, '').split('\n')
}

/** What a line of output must be to be what the comment says. */
function patternOf(promised: string): unknown {
  if (!promised.includes('…')) return promised
  const literal = promised.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return expect.stringMatching(new RegExp(`^${literal.join('.*')}$`))
}

function placeOf({ page, line }: Snippet): string {
  return `${page}:${line}`
}

function titleOf(snippet: Snippet): string {
  return `${placeOf(snippet)} ${snippet.example}`
}
