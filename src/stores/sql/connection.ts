import { aText, UnexpectedError } from '../rows/parts.js'

/** A statement that a store of this family sends. */
export interface Statement {
  /** The name of the prepared statement, for client libraries that need one. */
  readonly name: string
  readonly text: string
}

/** Statements with these texts, each named after its key: `renewAll` is `<prefix>_renew_all`. */
export function named<Key extends string>(
  prefix: string,
  texts: Readonly<Record<Key, string>>,
): Readonly<Record<Key, Statement>> {
  const statements: Array<readonly unknown[]> = Object.entries<string>(texts).map(([key, text]) => [
    key,
    { name: `${prefix}_${key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)}`, text },
  ])
  return Object.fromEntries(statements)
}

/** Bytes are for columns that keep bytes. */
export type SqlValue = string | Buffer | null

/** Columns by name, as texts and nulls; for a statement that returns no rows, what the server says of its effect. */
export type SqlRow = Readonly<Record<string, unknown>>

/** The part of a connection that Holdfast needs, from whichever client library. Its errors are the library's. */
export interface SqlConnection {
  /** False before it connects, and as soon as it is surely of no more use. */
  readonly open: boolean
  connect(): Promise<void>
  /** Runs one statement at a time, prepared under `name` if there is one. */
  query(text: string, values?: readonly SqlValue[], name?: string | undefined): Promise<readonly SqlRow[]>
  /** Calls back once it has ended, for whatever reason: before anybody can find it no longer open. */
  onEnd(listener: () => void): void
  /** Says goodbye and does not wait for the server's. */
  end(): void
  /** Breaks the connection, and rejects what is under way. */
  destroy(): void
}

/*
 * Reading answers by their exact shape. Any other shape is an `UnexpectedError`: a guess could take a lock for free that somebody holds, or
 * the reverse.
 */

/** The text in a column; undefined for null. */
export function text(row: SqlRow, column: string): string | undefined {
  const value = row[column]
  return value === null ? undefined : aText(value, column)
}

/** The number in a column, written as a text. */
export function number(row: SqlRow, column: string): number {
  const found = aText(row[column], column)
  const value = found === '' ? Number.NaN : Number(found)
  if (Number.isNaN(value)) throw new UnexpectedError(column, found, 'a number')
  return value
}

/** The whole number in a column, written as a text; undefined for null. */
export function whole(row: SqlRow, column: string): bigint | undefined {
  const found = text(row, column)
  if (found === undefined) return undefined
  if (/^-?\d{1,30}$/.test(found)) return BigInt(found)
  throw new UnexpectedError(column, found, 'a whole number')
}

/** The token of a granted lock. */
export function tokenIn(row: SqlRow): bigint {
  const token = whole(row, 'fence')
  if (token !== undefined) return token
  throw new UnexpectedError('fence', null, 'a token')
}

/** Which of these texts is in a column. */
export function oneOf<Value extends string>(row: SqlRow, column: string, ...values: readonly Value[]): Value {
  const found = row[column]
  const value = values.find((each) => each === found)
  if (value === undefined) throw new UnexpectedError(column, found, values.join(' or '))
  return value
}

/** The one row of an answer that has one. */
export function only(rows: readonly SqlRow[]): SqlRow {
  const [row, ...others] = rows
  if (!row || others.length > 0)
    throw new UnexpectedError(`an answer of ${rows.length} rows`, rows, 'one row')
  return row
}
