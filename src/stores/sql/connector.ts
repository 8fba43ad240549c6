import { type About, closedError, timeoutOf } from '../../port/failure.js'
import type { StoreSettings } from '../../port/store.js'
import type { SqlConnection, SqlRow } from './connection.js'
import { type Question, readBy } from './question.js'

/** The differences between databases. */
export interface Dialect<Connection extends SqlConnection = SqlConnection> {
  /** A connection that is not open yet. */
  make(): Connection
  /** Prepares a new connection for use. */
  introduce(connection: Connection): Promise<void>
  /** The typed error for the client library's. */
  failureOf(error: unknown, about: About): unknown
  /** Whether the connection that such an error came by is of no more use. */
  isWornOut(error: unknown): boolean
}

/** Makes the table for the dialect's new connections where there is none. */
export function tableMaker(
  createTable: string | undefined,
  isThere: (connection: SqlConnection) => Promise<boolean>,
): (connection: SqlConnection) => Promise<void> {
  let toRun = createTable
  return async (connection) => {
    if (toRun === undefined || (await isThere(connection))) return
    await connection.query(toRun).catch(async (error: unknown) => {
      // Of two clients that create it at once, the server may refuse one, in several ways.
      if (!(await isThere(connection))) throw error
    })
    toRun = undefined
  }
}

/** Opens connections, and asks on them within a time. */
export class Connector<Connection extends SqlConnection = SqlConnection> {
  readonly #opening = new Set<Connection>()
  /** Functions that end the questions under way. */
  readonly #pending = new Set<() => void>()
  #closed = false

  constructor(
    private readonly dialect: Dialect<Connection>,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {}

  /** Rejects with a `StoreError`, also if it takes longer than `commandTimeoutMs`. */
  async open(): Promise<Connection> {
    const about = { command: 'connect' }
    if (this.#closed) throw closedError(about)
    const connection = this.dialect.make()
    this.#opening.add(connection)
    try {
      await this.#inTime(connection, about, async () => {
        await connection.connect()
        await this.dialect.introduce(connection)
      })
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      this.#opening.delete(connection)
    }
  }

  /**
   * Asks on a connection that nobody else uses. Rejects with a `StoreError`. It destroys a connection that does not answer in time, or is
   * of no more use.
   */
  ask(connection: SqlConnection, question: Question, timeoutMs?: number): Promise<readonly SqlRow[]> {
    const { statement, values, about } = question
    const send = (): Promise<readonly SqlRow[]> =>
      connection.query(statement.text, values, statement.name).catch((error: unknown) => {
        if (this.dialect.isWornOut(error)) connection.destroy()
        throw error
      })
    return this.#inTime(connection, about, send, timeoutMs)
  }

  /** Asks, and reads the answer. Rejects also where that is none. */
  read<Result>(
    connection: SqlConnection,
    question: Question,
    read: (rows: readonly SqlRow[]) => Result,
    timeoutMs?: number,
  ): Promise<Result> {
    return readBy(question.about, this.ask(connection, question, timeoutMs), read)
  }

  /** Breaks connections that are still opening, and rejects what is under way. */
  close(): void {
    this.#closed = true
    for (const end of this.#pending) end()
    for (const connection of this.#opening) connection.destroy()
  }

  #inTime<Result>(
    connection: SqlConnection,
    about: About,
    work: () => Promise<Result>,
    timeoutMs = this.settings.commandTimeoutMs,
  ): Promise<Result> {
    const { schedule } = this.settings
    return new Promise((resolve, reject) => {
      const over = (): void => {
        schedule.cancel(alarm)
        this.#pending.delete(end)
      }
      const alarm = schedule.at(schedule.clock.now() + timeoutMs, () => {
        over()
        reject(timeoutOf(about, timeoutMs))
        connection.destroy()
      })
      const end = (): void => {
        over()
        reject(closedError(about))
      }
      this.#pending.add(end)
      work()
        .finally(over)
        .then(resolve, (error: unknown) => reject(this.dialect.failureOf(error, about)))
    })
  }
}
