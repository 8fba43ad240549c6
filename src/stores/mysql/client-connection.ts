import { InvalidArgumentError } from '../../base/errors/errors.js'
import { offers } from '../../base/packages/installed.js'
import { needed } from '../../base/packages/peer.js'
import { isObject } from '../../port/sql-connection.js'
import { call, partOf, streamOf } from '../sql/client-parts.js'
import type { SqlConnection, SqlRow, SqlValue } from '../sql/connection.js'

/** A connection of `mysql2/promise` or of `mariadb`, described by what Holdfast uses of it. */
export interface MysqlConnection {
  query(sql: string): Promise<unknown>
  execute(options: { sql: string }, values: Array<string | Buffer | null>): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  ping(timeoutMs?: number): Promise<unknown>
  end(): Promise<unknown>
  destroy(): void
}

/** One that others may have used. */
export interface UsedConnection extends MysqlConnection {
  /** Undoes what they have done on it. */
  forgetUse(): Promise<void>
}

/** Answers as Holdfast reads them, whatever the application has set for its connections. */
const OPTIONS = { rowsAsArray: false, nestTables: false, namedPlaceholders: false }
/** A function, since mysql2 takes any other value for none where the application has set one. */
const MYSQL2 = { ...OPTIONS, typeCast: (_field: unknown, read: () => unknown) => read() }
const MARIADB = { ...OPTIONS, typeCast: undefined, metaAsArray: false }

export const isConnection = offers<MysqlConnection>('query', 'execute', 'on', 'ping', 'end', 'destroy')
const isUsed = offers<UsedConnection>('forgetUse')

/** A connection that the application's function makes. */
export class ClientConnection implements SqlConnection {
  readonly #endListeners: Array<() => void> = []
  #client: MysqlConnection | undefined
  #options: typeof MYSQL2 | typeof MARIADB = MYSQL2
  #over = false
  #destroyed = false
  #rejectQuery: ((error: Error) => void) | undefined
  /** Whether the library still waits for an answer, even after the caller has learnt that the connection ended. */
  #busy = false

  constructor(private readonly make: () => Promise<MysqlConnection>) {}

  get open(): boolean {
    return this.#client !== undefined && !this.#over
  }

  async connect(): Promise<void> {
    const making: unknown = this.make()
    if (!(making instanceof Object) || !('then' in making)) throw notAConnection(making)
    const client = await making
    if (!isConnection(client)) throw notAConnection(client)
    // mariadb shows no socket: its idle connections keep the process alive until they close.
    call(streamOf(client), 'unref')
    // The caller has given up the attempt meanwhile.
    if (this.#over) client.destroy()
    if (this.#over) throw new Error('The connection was given up.')
    this.#options = partOf(client, 'connection') ? MYSQL2 : MARIADB
    this.#client = client
    for (const event of ['error', 'end'] as const) client.on(event, () => this.#lost())
    if (isUsed(client)) await this.#answerOf(client.forgetUse())
  }

  async query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const client = this.#client
    if (!client || this.#over) throw new Error('The connection has ended.')
    return this.#rowsOf(
      await this.#answerOf(
        values ? client.execute({ ...this.#options, sql }, [...values]) : client.query(sql),
      ),
    )
  }

  /** Rejects too when the connection ends. */
  async #answerOf(answer: Promise<unknown>): Promise<unknown> {
    const ended = new Promise<never>((_, reject) => {
      this.#rejectQuery = reject
    })
    this.#busy = true
    const settle = (): void => {
      this.#busy = false
    }
    answer.then(settle, settle)
    try {
      return await Promise.race([answer, ended])
    } finally {
      this.#rejectQuery = undefined
    }
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener)
  }

  end(): void {
    // To end is to ask the server, which may not answer before it has answered something else.
    if (this.#busy) {
      this.destroy()
      return
    }
    this.#lost()
    this.#client?.end().catch(() => undefined)
  }

  destroy(): void {
    this.#lost()
    const client = this.#client
    if (!client || this.#destroyed) return
    this.#destroyed = true
    if (this.#busy && this.#options === MARIADB) {
      // Its destroy() would kill the statement from another connection, and leave a failure of that to nobody. A ping that is not answered
      // at once breaks the connection; if it is answered, so is the statement. Either way there is nothing left to kill, and a pool gets the
      // place back.
      const destroy = (): void => client.destroy()
      client.ping(0).then(destroy, destroy)
      return
    }
    // The destroy() of mysql2 waits for the server to end the connection too.
    call(streamOf(client), 'destroy')
    client.destroy()
  }

  #lost(): void {
    if (this.#over) return
    this.#over = true
    this.#rejectQuery?.(new Error('The connection has ended.'))
    for (const listener of this.#endListeners) listener()
  }

  #rowsOf(answer: unknown): readonly SqlRow[] {
    const result: unknown = this.#options === MYSQL2 && Array.isArray(answer) ? answer[0] : answer
    if (Array.isArray(result)) return result.filter(isObject)
    if (!isObject(result)) return []
    return [{ affectedRows: String(result['affectedRows']), insertId: String(result['insertId']) }]
  }
}

function notAConnection(made: unknown): InvalidArgumentError {
  return new InvalidArgumentError(
    'connect()',
    made,
    'a promise of a connection, as createConnection() of mysql2/promise and of mariadb returns it: ' +
      `${needed('mysql2')}, ${needed('mariadb')}`,
  )
}
