import { InvalidArgumentError } from '../../base/errors/errors.js'
import { offers } from '../../base/packages/installed.js'
import { lineForClient } from '../../base/packages/known-clients.js'
import { needed } from '../../base/packages/peer.js'
import { isObject } from '../../port/sql-connection.js'
import { call, partOf, streamOf } from '../sql/client-parts.js'
import type { SqlRow, SqlValue } from '../sql/connection.js'
import type { ListeningConnection, MakeConnection } from './connection.js'
import { tellsOfReplica, unreplicated } from './failure.js'

/** A pool of the `pg` package, described by what Holdfast reads of it. It takes no connection out of the pool. */
export interface PgPool {
  /** The options of each client of the pool. */
  readonly options: object
}

/** A client of the `pg` package. */
interface PgClient {
  connect(): Promise<unknown>
  query(config: {
    readonly text: string
    readonly values?: readonly SqlValue[]
    readonly name?: string
  }): Promise<{ readonly rows: readonly SqlRow[] }>
  end(): Promise<unknown>
  on(event: string, listener: (argument: unknown) => void): unknown
}

/** The idle time after which TCP probes a connection: firewalls then keep it, and a vanished server shows. */
const KEEP_ALIVE_MS = 10_000

/** Every value as the server writes it, whatever parsers the application has registered. */
const TEXTS = { getTypeParser: () => (value: unknown) => value }

/** Connections like those of the pool, made with its client class and its options, of which the pool knows nothing. */
export function pgConnections(pool: PgPool): MakeConnection {
  const Client = isPool(pool) ? pool.Client : undefined
  if (typeof Client !== 'function') {
    const line = lineForClient(pool) ?? 'for example postgres(new pg.Pool({ connectionString: url }))'
    throw new InvalidArgumentError(
      'pool',
      pool,
      `a Pool of the package ${needed('pg')}, or sql of the package ${needed('postgres')}; ${line}`,
    )
  }
  return (prepares) => {
    // As they are at that moment: the application may have changed the password since.
    const { options } = pool
    const client: unknown = Reflect.construct(Client, [
      {
        ...options,
        // The pool hides the password from a copy of its options.
        ...('password' in options && { password: options.password }),
        application_name: 'holdfast',
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        connectionTimeoutMillis: 0,
        pipeline: false,
        types: TEXTS,
      },
    ])
    if (!isClient(client)) throw new InvalidArgumentError('pool', pool, 'a Pool that makes clients of pg')
    // As options, pg would take these for none, and take its own defaults or what the address says.
    Object.assign(client, { binary: false })
    Object.assign(partOf(client, 'connectionParameters') ?? {}, { query_timeout: 0 })
    return new PgConnection(client, prepares)
  }
}

const isClient = offers<PgClient>('connect', 'query', 'end', 'on')

class PgConnection implements ListeningConnection {
  readonly #endListeners: Array<() => void> = []
  #open = false
  /** Whether the primary committed the statement under way, and the synchronous replica perhaps did not. */
  #unreplicated = false

  constructor(
    private readonly client: PgClient,
    private readonly prepares: () => boolean,
  ) {
    // Rejects the commands under way.
    for (const event of ['error', 'end']) client.on(event, () => this.#lost())
    client.on('notice', (notice) => {
      if (tellsOfReplica(notice)) this.#unreplicated = true
    })
    // An open socket must not keep the process alive; a call that awaits an answer does.
    call(client, 'unref')
  }

  get processId(): number | undefined {
    const client: object = this.client
    return 'processID' in client && typeof client.processID === 'number' ? client.processID : undefined
  }

  get open(): boolean {
    return this.#open
  }

  async connect(): Promise<void> {
    await this.client.connect()
    this.#open = true
    // With TLS there is another socket now.
    call(this.client, 'unref')
  }

  async query(text: string, values: readonly SqlValue[] = [], name?: string): Promise<readonly SqlRow[]> {
    this.#unreplicated = false
    const { rows } = await this.client.query({
      text,
      values,
      ...(name !== undefined && this.prepares() && { name }),
    })
    if (this.#unreplicated) throw unreplicated()
    return rows
  }

  onNotification(listener: (payload: string) => void): void {
    this.client.on('notification', (told) => {
      if (typeof told !== 'object' || told === null || !('payload' in told)) return
      if (typeof told.payload === 'string') listener(told.payload)
    })
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener)
  }

  end(): void {
    this.#lost()
    this.client.end().catch(() => undefined)
    call(this.#stream, 'destroySoon')
  }

  destroy(): void {
    this.#lost()
    const stream = this.#stream
    if (stream) call(stream, 'destroy')
    else this.client.end().catch(() => undefined)
  }

  #lost(): void {
    this.#open = false
    for (const listener of this.#endListeners.splice(0)) listener()
  }

  /** The native client has none. */
  get #stream(): object | undefined {
    return streamOf(this.client)
  }
}

function isPool(value: unknown): value is PgPool & { readonly Client?: unknown } {
  return isObject(value) && isObject(value['options']) && 'Client' in value
}
