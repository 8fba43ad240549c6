/**
 * The application's connection: a client of `pg`, `sql` of `postgres` (in a transaction what `sql.begin` passes), or a connection of
 * `mysql2` or `mariadb`, with promises. Told by its shape; this package imports none of them.
 */
export type SqlConnection =
  | { query(text: string, values: unknown[]): unknown }
  | { unsafe(text: string, values?: unknown[]): unknown }

/** A row by its columns, with values as the driver gives them. */
export type Row = Readonly<Record<string, unknown>>

/** What a statement answered. */
export interface Answer {
  readonly rows: readonly Row[]
  /** How many rows it changed, or found for a change. */
  readonly changed: number
}

/** A connection with whatever driver. */
export interface Connection {
  readonly dialect: 'postgres' | 'mysql'
  query(text: string, values?: readonly unknown[]): Promise<Answer>
}

/** One to PostgreSQL that has a transaction open. */
export interface PostgresTransaction extends Connection {
  readonly dialect: 'postgres'
  /** Runs a statement that should not fail, in one round trip. Fails with 25P01 without a transaction. */
  attempt(text: string): Promise<Answer>
  /** Takes steps in a savepoint. A failure undoes them, and the transaction goes on. */
  guarded<Result>(steps: GuardedSteps<Result>): Promise<Result>
  /**
   * Asks the server to end the statement on the backend of that process id. Resolves when the server has the request, or when it had none
   * until `over` and will get none.
   */
  cancel(pid: number, over: Promise<unknown>): Promise<void>
}

export interface GuardedSteps<Result> {
  readonly before: readonly string[]
  readonly work: (query: Connection['query']) => Promise<Result>
  readonly after: readonly string[]
}

/** One to MySQL or MariaDB that should have a transaction open. */
export interface MysqlTransaction extends Connection {
  readonly dialect: 'mysql'
  /** An object that stays the same while the connection lives: the key for what callers remember of it. */
  readonly identity: object
  /** Whether there is a transaction, as the server said with its last answer to a statement that gives no rows. */
  inTransaction(): boolean
}

export function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}

/** The rows that a driver gave. */
export function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function isFunction(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === 'function'
}
