import { InvalidArgumentError } from '../../base/errors/errors.js'

/** MySQL and MariaDB refuse longer identifiers. */
const LONGEST = 64

const PART = '(?:`(?:[^`]|``)+`|[^`.]+)'
const NAME = new RegExp(`^(?:(${PART})\\.)?(${PART})$`, 's')

/** What no identifier can have: NUL, characters of more than two bytes of UTF-16, a space at its end. */
const IMPOSSIBLE = /[\0\u{10000}-\u{10ffff}]|\s$/u

/** The SQL for a table's name: `locks`, `app.locks`, or with parts in backticks as in SQL. */
export function quoteTable(table: unknown): string {
  const parts = typeof table === 'string' ? NAME.exec(table)?.slice(1) : undefined
  const names = parts?.filter((part) => part !== undefined).map(plain)
  if (!names || names.some((name) => name.length > LONGEST || IMPOSSIBLE.test(name))) {
    throw new InvalidArgumentError(
      'table',
      table,
      `a name such as locks, app.locks or \`my app\`.locks, each part of at most ${LONGEST} characters`,
    )
  }
  return names.map((name) => `\`${name.replaceAll('`', '``')}\``).join('.')
}

function plain(part: string): string {
  return part.startsWith('`') ? part.slice(1, -1).replaceAll('``', '`') : part
}
