/** A statement that a store of this family sends. */
export interface Statement {
  /** What it is prepared as, where a client library asks for a name. */
  readonly name: string
  readonly text: string
}

/** Bytes are for columns that keep bytes. */
export type SqlValue = string | Buffer | null

/** Columns by name, as texts and nulls; for a statement that returns no rows, what the server says of its effect. */
export type SqlRow = Readonly<Record<string, unknown>>

/** What Holdfast needs of a connection, whichever client library makes it. Its errors are the library's. */
export interface SqlConnection {
  /** False before it is connected, and from the moment on when it is known to be of no more use. */
  readonly open: boolean
  connect(): Promise<void>
  /** Runs one statement, one at a time. It is prepared under `name`, if there is one. */
  query(text: string, values?: readonly SqlValue[], name?: string | undefined): Promise<readonly SqlRow[]>
  /** Calls back once it has ended, for whatever reason: before anybody can find it no longer open. */
  onEnd(listener: () => void): void
  /** Says goodbye and does not wait for the server's. */
  end(): void
  /** Breaks it. What is under way is rejected. */
  destroy(): void
}

/** The text in a column; undefined for null, and where there is no row. */
export function text(row: SqlRow | undefined, column: string): string | undefined {
  const value = row?.[column]
  return typeof value === 'string' ? value : undefined
}
