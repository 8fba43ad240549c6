import { InvalidArgumentError } from '../../base/errors/errors.js'

/** PostgreSQL cuts longer identifiers short, so that two names would be one. */
const LONGEST_BYTES = 63

const PART = '(?:"(?:[^"]|"")+"|[^".]+)'
const NAME = new RegExp(`^(?:(${PART})\\.)?(${PART})$`, 's')

/** The SQL for a table's name: `locks`, `app.locks`, or with parts in double quotes as in SQL. Case counts, quoted or not. */
export function quoteTable(table: unknown): string {
  const parts = typeof table === 'string' && !table.includes('\0') ? NAME.exec(table)?.slice(1) : undefined
  const names = parts?.filter((part) => part !== undefined).map(plain)
  if (!names || names.some((name) => Buffer.byteLength(name) > LONGEST_BYTES)) {
    throw new InvalidArgumentError(
      'table',
      table,
      `a name such as locks, app.locks or "my app".locks, each part of at most ${LONGEST_BYTES} bytes`,
    )
  }
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
}

function plain(part: string): string {
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part
}
