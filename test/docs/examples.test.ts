/** What the pages show is true: see snippet.ts for how an example is written. */
import { basename } from 'node:path'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { Program } from '../examples/program.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer } from '../servers/index.js'
import { duringAll } from '../setup/during.js'
import { isOfVitest, Project } from './project.js'
import { allSnippets, type Snippet, snippetsOf } from './snippet.js'
import { Surroundings } from './surroundings.js'
import { typeErrors } from './type-check.js'

const snippets = allSnippets()
const examples = snippets.filter(({ example }) => example !== undefined)

const fragments = snippets.filter(({ example }) => example === undefined)

const surroundings = duringAll(() => new Surroundings())
const project = duringAll(() => Project.create())

/** That it ends by itself and without an error; returns what it has printed. */
async function expectRun(program: Program): Promise<string> {
  const { code, stdout, stderr } = await program.endWithin(30_000)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('the code in README.md and docs/', () => {
  test('passes the compiler', { timeout: 120_000 }, () => expect(typeErrors(snippets)).toEqual([]))

  test('README.md begins with an example that is run', () =>
    expect(snippets[0]).toMatchObject({ page: 'README.md', example: expect.any(String) }))

  test('promises output only where it is run, and has no two examples of one name on a page', () => {
    const idle = snippets.filter(({ example, output }) => example === undefined && output.length > 0)
    expect(idle.map(placeOf)).toEqual([])
    const names = examples.map(({ page, example }) => `${page}: ${example}`)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(examples.map((snippet) => ({ title: `${placeOf(snippet)} ${snippet.example}`, snippet })))(
    '$title runs and prints what it says',
    async ({ snippet }) => {
      const program = new Program(await project.add(snippet), [], {
        // One that names no server has its locks in a file of the user.
        HOLDFAST_REDIS_URL: /redis/i.test(snippet.code) ? inject('servers').standalone.url : '',
        XDG_STATE_HOME: project.dir,
        ...(await surroundings.of(snippet)),
      })
      const stdout = await expectRun(program)
      const lines = stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n')
      expect(lines).toEqual(snippet.output.map(patternOf))
    },
  )
})

describe('the code that is no complete program, among the names that a reader takes for granted', () => {
  const bring = () => bringServer({ flavour: inject('servers').flavour })
  const [one, two, three] = [duringAll(bring), duringAll(bring), duringAll(bring)]

  /** Some leave locks held. */
  beforeEach(async () => {
    for (const server of [one, two, three]) await withAdmin(server, (command) => command('FLUSHALL'))
  })

  /** The servers that pages name by addresses of their own. */
  function network(): Record<string, number> {
    const [sentinel] = inject('servers').sentinel.sentinels
    if (!sentinel) throw new Error('there are servers')
    return {
      ...{ 'localhost:6379': one.port, '127.0.0.1:6379': one.port, '10.0.0.1:6379': one.port },
      ...{ 'redis-a:6379': one.port, 'redis-b:6379': two.port, 'redis-c:6379': three.port },
      ...{ '127.0.0.1:26379': sentinel.port, '10.0.0.1:26379': sentinel.port },
    }
  }

  /** The contract is run by Vitest, and one rule of it shows that it is found. */
  function commandFor(file: string, { code }: Snippet): [string, string[]] {
    if (!isOfVitest(code)) return [file, []]
    const options = [basename(file), '--root', project.dir, '--testNamePattern', 'O1:']
    return ['node_modules/vitest/vitest.mjs', ['run', ...options]]
  }

  test.each(fragments.map((fragment) => ({ title: placeOf(fragment), fragment })))(
    '$title runs',
    async ({ fragment }) => {
      const program = new Program(...commandFor(await project.addFragment(fragment), fragment), {
        HOLDFAST_REDIS_URL: one.url,
        NETWORK: JSON.stringify(network()),
        PORT: '0',
        ...(await surroundings.of(fragment)),
      })
      await expectRun(program)
    },
  )
})

describe('the check of the pages itself', () => {
  const page = `
\`\`\`ts
// example: sum
console.log(1 + 1) // => 2
\`\`\`
\`\`\`sh
ls
\`\`\`
  \`\`\`typescript
  const port: string = 6379
  \`\`\`
\`\`\`ts
await lock.acquire({ waitMillis: 5 })
\`\`\``

  test('tells what the compiler has against them, by page and line', { timeout: 120_000 }, () => {
    expect(typeErrors(snippetsOf('page.md', page))).toEqual([
      expect.stringMatching(/^page\.md:10: .*'number' is not assignable to type 'string'/),
      expect.stringMatching(/^page\.md:13: .*'waitMillis' does not exist/),
    ])
  })

  test('a block that is never closed is a mistake', () =>
    expect(() => snippetsOf('page.md', 'text\n```ts\nlet x')).toThrow('page.md:2'))

  test('an ellipsis stands for any text, and nothing else does', () => {
    expect('held by 17:1, 5 ms').toEqual(patternOf('held by …:1, … ms'))
    expect('held by 17:2, 5 ms').not.toEqual(patternOf('held by …:1, … ms'))
    expect('axb').not.toEqual(patternOf('a.b'))
  })
})

/** What a line of output must be to be what the comment says. */
function patternOf(promised: string): unknown {
  if (!promised.includes('…')) return promised
  const literal = promised.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return expect.stringMatching(new RegExp(`^${literal.join('.*')}$`))
}

function placeOf({ page, line }: Snippet): string {
  return `${page}:${line}`
}
