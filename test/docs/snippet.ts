/*
 * The convention for TypeScript in README.md and docs/. A block fenced as ```ts is checked by the compiler, as a module of its
 * own, with what prelude.ts declares around it. A block whose first line is
 *
 *     // example: <name>
 *
 * is complete: it is also run as it stands, with HOLDFAST_REDIS_URL naming a server, and a database where it asks for one:
 * DATABASE_URL is one of PostgreSQL, MARIADB_URL one of MariaDB. It must end by itself, and print line by
 * line what its `// => …` comments say, in that order; an ellipsis in such a comment stands for any text. Any other block is run with what
 * fragment-prelude.ts puts around it, and has to end without an error. Blocks of other languages are left to other tests.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Snippet {
  /** The page, from the package's root. */
  readonly page: string
  /** The line of the page on which the code begins, counted from 1. */
  readonly line: number
  readonly code: string
  readonly example: string | undefined
  readonly output: readonly string[]
}

export function allSnippets(): Snippet[] {
  const docs = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'))
  const pages = ['README.md', ...docs.map((name) => `docs/${name}`)]
  return pages.flatMap((page) => snippetsOf(page, readFileSync(root + page, 'utf8')))
}

/** Those of one page. */
export function snippetsOf(page: string, text: string, language = /^(ts|typescript)\b/): Snippet[] {
  const snippets: Snippet[] = []
  let fence: { line: number; wanted: boolean } | undefined
  const lines = text.split('\n')
  lines.forEach((line, index) => {
    const [, info] = /^\s*```(.*)$/.exec(line) ?? []
    if (info === undefined) return
    if (!fence) {
      fence = { line: index + 2, wanted: language.test(info) }
      return
    }
    if (fence.wanted) snippets.push(snippet(page, fence.line, lines.slice(fence.line - 1, index)))
    fence = undefined
  })
  if (fence) throw new Error(`${page}:${fence.line - 1}: this block is never closed`)
  return snippets
}

function snippet(page: string, line: number, lines: readonly string[]): Snippet {
  return {
    page,
    line,
    code: `${lines.join('\n')}\n`,
    example: /^\s*\/\/ example: (\S+)\s*$/.exec(lines[0] ?? '')?.[1],
    output: lines.flatMap((each) => /\/\/ => (.*?)\s*$/.exec(each)?.[1] ?? []),
  }
}
