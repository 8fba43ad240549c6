import { StoreError } from '../errors/errors.js'
import type { StoreSettings } from '../ports/store.js'
import type { SqlConnection, SqlConnections, SqlRow, Statement } from './connection.js'
import { type About, failureOf, isWornOut, showsPooler, timeoutOf } from './failure.js'
import { statements } from './statements.js'

/** The longest that PostgreSQL takes for a setting. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

export interface ConnectorOptions {
  /** The SQL that creates the table, if that is wanted. */
  readonly createTable: string | undefined
  /** The table's name in SQL. */
  readonly table: string
}

/** A question to the server. */
export interface Question {
  readonly statement: Statement
  readonly values?: ReadonlyArray<string | null> | undefined
  readonly about: About
}

/** Opens connections, and asks on them within a time. */
export class Connector {
  readonly #opening = new Set<SqlConnection>()
  readonly #makeConnection: SqlConnections
  readonly #settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs' | 'onError'>
  readonly #table: string
  #createTable: string | undefined
  #pooled = false
  #closed = false

  constructor(
    makeConnection: SqlConnections,
    settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs' | 'onError'>,
    { createTable, table }: ConnectorOptions,
  ) {
    this.#makeConnection = makeConnection
    this.#settings = settings
    this.#createTable = createTable
    this.#table = table
  }

  /**
   * Whether a pooler stands between that gives each statement another server process, as far as that is known: then what belongs to
   * a process is lost, such as prepared statements and LISTEN.
   */
  get pooled(): boolean {
    return this.#pooled
  }

  /** Rejects with a `StoreError`, also if it takes longer than `commandTimeoutMs`. */
  async open(): Promise<SqlConnection> {
    const connection = this.#makeConnection()
    this.#opening.add(connection)
    try {
      const about = { command: 'connect' }
      if (this.#closed) throw closedError(about)
      await this.#inTime(connection, about, () => this.#introduce(connection))
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      this.#opening.delete(connection)
    }
  }

  /**
   * Asks on a connection that nobody else uses. Rejects with a `StoreError`. A connection that does not answer in time is destroyed, and
   * one that is of no more use.
   */
  ask(connection: SqlConnection, question: Question, timeoutMs?: number): Promise<readonly SqlRow[]> {
    const { statement, values, about } = question
    const name = this.#pooled ? undefined : statement.name
    const send = (): Promise<readonly SqlRow[]> =>
      connection.query(statement.text, values, name).catch((error: unknown) => {
        if (showsPooler(error)) this.foundPooler()
        if (isWornOut(error)) connection.destroy()
        throw error
      })
    return this.#inTime(connection, about, send, timeoutMs)
  }

  /** A pooler stands between. The application is told once. */
  foundPooler(): void {
    if (this.#pooled) return
    this.#pooled = true
    this.#settings.onError(poolerError())
  }

  /** Breaks connections that are being opened. */
  close(): void {
    this.#closed = true
    for (const connection of this.#opening) connection.destroy()
  }

  async #introduce(connection: SqlConnection): Promise<void> {
    await connection.connect()
    const { processId } = connection
    const [row] = await connection.query(statements.hello, [
      processId === undefined ? null : String(processId),
      String(Math.min(Math.ceil(this.#settings.commandTimeoutMs), LONGEST_TIMEOUT_MS)),
    ])
    if (processId !== undefined && row?.['pid'] !== String(processId)) this.foundPooler()
    if (this.#createTable === undefined || (await this.#hasTable(connection))) return
    await connection.query(this.#createTable).catch(async (error: unknown) => {
      // Of two that create it at once, one may be refused, in several ways.
      if (!(await this.#hasTable(connection))) throw error
    })
    this.#createTable = undefined
  }

  async #hasTable(connection: SqlConnection): Promise<boolean> {
    const [row] = await connection.query(statements.exists, [this.#table])
    return typeof row?.['found'] === 'string'
  }

  #inTime<Result>(
    connection: SqlConnection,
    about: About,
    work: () => Promise<Result>,
    timeoutMs = this.#settings.commandTimeoutMs,
  ): Promise<Result> {
    const { schedule } = this.#settings
    return new Promise((resolve, reject) => {
      const alarm = schedule.at(schedule.clock.now() + timeoutMs, () => {
        reject(timeoutOf(about, timeoutMs))
        connection.destroy()
      })
      work()
        .finally(() => schedule.cancel(alarm))
        .then(resolve, (error: unknown) => reject(failureOf(error, about)))
    })
  }
}

/** What is rejected with when the client is closed. */
export function closedError(about: About): StoreError {
  return new StoreError('unreachable', about.command, {
    lockName: about.lockName,
    transient: false,
    hint: 'The client was closed.',
  })
}

export function poolerError(): StoreError {
  return new StoreError('not-ready', 'LISTEN', {
    transient: false,
    hint:
      'A connection pooler stands between Holdfast and PostgreSQL, so no messages come: calls that wait ask again and again instead. ' +
      'Connect to the server directly.',
  })
}
