/** The clause by which a statement locks rows, and whether it waits for them. */
export interface LockingClause {
  readonly start: number
  /** Where it may say something about waiting: behind its strength and its tables. */
  readonly tablesEnd: number
  readonly end: number
  readonly wait: 'NOWAIT' | 'SKIP LOCKED' | { readonly seconds: number } | undefined
}

type Dialect = 'postgres' | 'mysql'

/** In brackets what is code; the rest is comments. A literal or a quoted name is one token, whatever is in it. */
const TOKENS: Readonly<Record<Dialect, RegExp>> = {
  // In PostgreSQL comments nest.
  postgres:
    /--[^\n]*|\/\*(?:\/\*(?:(?!\/\*|\*\/).)*\*\/|(?!\/\*|\*\/).)*\*\/|(\b[Ee]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Z_a-z\u0080-\uffff][\w\u0080-\uffff]*)?\$.*?\$\2\$|[\w$\u0080-\uffff]+|\S)/gs,
  // The content of an executable comment is code.
  mysql:
    /--(?=\s|$)[^\n]*|#[^\n]*|\/\*M?!\d*|\*\/|\/\*.*?\*\/|('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|[\w$\u0080-\uffff]+|\S)/gs,
}

const STRENGTHS = [
  ['FOR', 'UPDATE'],
  ['FOR', 'SHARE'],
  ['FOR', 'NO', 'KEY', 'UPDATE'],
  ['FOR', 'KEY', 'SHARE'],
  ['LOCK', 'IN', 'SHARE', 'MODE'],
] as const

interface Token {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** The locking clauses of a statement, wherever they stand in it. */
export function lockingClauses(text: string, dialect: Dialect): LockingClause[] {
  const tokens = tokensOf(text, dialect)
  const isAt = (place: number, words: readonly string[]): boolean =>
    words.every((word, index) => tokens[place + index]?.word === word)
  /** The place behind a list of tables. */
  const behindTables = (place: number): number => {
    let next = place + 1
    while (isAt(next, ['.']) || isAt(next, [','])) next += 2
    return next
  }
  return tokens.flatMap(({ start }, place) => {
    const strength = STRENGTHS.find((words) => isAt(place, words))
    if (!strength) return []
    const behind = place + strength.length
    const tables = isAt(behind, ['OF']) ? behindTables(behind + 1) : behind
    const tablesEnd = tokens[tables - 1]?.end ?? text.length
    const clause = (length: number, wait: LockingClause['wait']): LockingClause[] => [
      { start, tablesEnd, end: tokens[tables + length - 1]?.end ?? text.length, wait },
    ]
    if (isAt(tables, ['NOWAIT'])) return clause(1, 'NOWAIT')
    if (isAt(tables, ['SKIP', 'LOCKED'])) return clause(2, 'SKIP LOCKED')
    if (isAt(tables, ['WAIT'])) return clause(2, { seconds: Number(tokens[tables + 1]?.word) })
    return clause(0, undefined)
  })
}

/** The statement with its waits without limit, or with none. What does not wait anyway stays as it is. */
export function withWait(text: string, clauses: readonly LockingClause[], wait: '' | 'NOWAIT'): string {
  return clauses.reduceRight((rest, { start, tablesEnd, end, wait: own }) => {
    if (own === 'NOWAIT' || own === 'SKIP LOCKED') return rest
    const locking = rest.slice(start, tablesEnd)
    if (wait === '') return rest.slice(0, tablesEnd) + rest.slice(end)
    // LOCK IN SHARE MODE always waits.
    return `${rest.slice(0, start)}${/^LOCK/i.test(locking) ? 'FOR SHARE' : locking} NOWAIT${rest.slice(end)}`
  }, text)
}

function tokensOf(text: string, dialect: Dialect): Token[] {
  return [...text.matchAll(TOKENS[dialect])].flatMap(({ 0: whole, 1: code, index }) =>
    code === undefined ? [] : [{ word: code.toUpperCase(), start: index, end: index + whole.length }],
  )
}
