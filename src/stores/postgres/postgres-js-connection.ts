import { once } from 'node:events'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { installed } from '../../base/packages/installed.js'
import { needed } from '../../base/packages/peer.js'
import { isObject } from '../../port/sql-connection.js'
import { call } from '../sql/client-parts.js'
import type { SqlRow, SqlValue } from '../sql/connection.js'
import type { ListeningConnection, MakeConnection } from './connection.js'
import { tellsOfReplica, unreplicated } from './failure.js'
import { secure } from './secure.js'

/** The `sql` of the package `postgres`, by the members that Holdfast reads. Holdfast runs no statement with it. */
export interface PostgresJs {
  unsafe(text: string): unknown
  /** The options of each of its connections. */
  readonly options: object
}

/** An instance that has one connection, and never another after that. */
interface Instance extends PostgresJs {
  unsafe(text: string, values?: SqlValue[], options?: { prepare: boolean }): Promise<object>
}

type Options = Readonly<Record<string, unknown>>

/** Where a server may be. The package itself would try a list of them for ever. */
interface Place {
  readonly host: unknown
  readonly port: unknown
  readonly path: unknown
}

/** The idle time after which TCP probes a connection: firewalls then keep it, and a vanished server shows. */
const KEEP_ALIVE_S = 10

/**
 * Resets the application's options that would change what statements send and return, or let the package reconnect, print or query of its
 * own accord.
 */
const PLAIN = {
  max: 1,
  idle_timeout: null,
  max_lifetime: null,
  connect_timeout: null,
  keep_alive: KEEP_ALIVE_S,
  fetch_types: false,
  no_subscribe: true,
  debug: false,
  serializers: {},
  transform: { undefined: undefined, column: {}, value: {}, row: {} },
  onparameter: undefined,
  // It gets a socket that has TLS already.
  ssl: false,
}

/** The number of the type. */
const BOOLEAN = 16

type MakeInstance = (options: Options) => unknown

export function isPostgresJs(value: unknown): value is PostgresJs {
  return typeof value === 'function' && 'unsafe' in value && 'options' in value && isObject(value.options)
}

/** Connections like those of the instance, made with its package and its options, of which the instance knows nothing. */
export function postgresJsConnections(sql: PostgresJs): MakeConnection {
  const makeInstance = load(sql)
  return (prepares) => new PostgresJsConnection(makeInstance, { ...sql.options }, prepares)
}

class PostgresJsConnection implements ListeningConnection {
  readonly #endListeners: Array<() => void> = []
  readonly #notificationListeners: Array<(payload: string) => void> = []
  #instance: Instance | undefined
  #socket: Duplex | undefined
  #process: number | undefined
  #open = false
  #givenUp = false
  /** Whether the primary committed the statement under way, and the synchronous replica perhaps did not. */
  #unreplicated = false
  #giveUp: (error: Error) => void = () => undefined

  constructor(
    private readonly makeInstance: MakeInstance,
    private readonly options: Options,
    private readonly prepares: () => boolean,
  ) {}

  get processId(): number | undefined {
    return this.#process
  }

  get open(): boolean {
    return this.#open
  }

  async connect(): Promise<void> {
    let failure: unknown
    for (const place of placesOf(this.options)) {
      if (this.#givenUp) throw over()
      try {
        await this.#connectTo(place)
        return
      } catch (error) {
        failure = error
        call(this.#socket, 'destroy')
      }
    }
    throw failure
  }

  async query(text: string, values: readonly SqlValue[] = [], name?: string): Promise<readonly SqlRow[]> {
    if (!this.#instance || !this.#open) throw over()
    const prepare = name !== undefined && this.prepares()
    this.#unreplicated = false
    const rows = await this.#instance.unsafe(text, [...values], { prepare })
    if (this.#unreplicated) throw unreplicated()
    return Array.isArray(rows) ? rows.filter(isObject) : []
  }

  onNotification(listener: (payload: string) => void): void {
    this.#notificationListeners.push(listener)
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener)
  }

  end(): void {
    this.#lost()
    call(this.#instance, 'close')
    call(this.#socket, 'destroySoon')
  }

  destroy(): void {
    this.#lost()
    this.#givenUp = true
    this.#giveUp(over())
    call(this.#socket, 'destroy')
  }

  /** With a socket of ours: the package shows none, makes another of its own accord, and holds the process with it. */
  async #connectTo(place: Place): Promise<void> {
    let used = false
    const failed = new Promise<never>((_, reject) => {
      this.#giveUp = reject
    })
    const { connection, pass } = this.options
    // Where it has to know whether the server is a primary, the package asks servers before 14, and cannot read the answer as a text.
    const parsers: Record<number, (value: string) => unknown> = { [BOOLEAN]: (value) => value === 't' }
    const instance = this.makeInstance({
      ...this.options,
      ...PLAIN,
      parsers,
      // Instances remember these of their server.
      parameters: {},
      shared: { retries: 0, typeArrayMap: {} },
      host: [place.host],
      port: [place.port],
      connection: { ...(isObject(connection) && connection), application_name: 'holdfast' },
      socket: async () => {
        if (used || this.#givenUp) throw over()
        used = true
        return await this.#connectSocket(place)
      },
      // Where the function fails, or answers too late, the package would end the process.
      pass: () =>
        new Promise((resolve) => {
          const asked = (async () => (typeof pass === 'function' ? await pass() : pass))()
          asked.then((password) => !this.#givenUp && resolve(password), this.#giveUp)
        }),
      onnotify: (_: unknown, payload: string) => {
        for (const listener of this.#notificationListeners) listener(payload)
      },
      onnotice: (notice: unknown) => {
        if (tellsOfReplica(notice)) this.#unreplicated = true
      },
      onclose: () => this.#lost(),
    })
    if (!isInstance(instance)) throw over()
    this.#instance = instance
    const answer = await Promise.race([instance.unsafe('SELECT 1'), failed])
    const state = 'state' in answer ? answer.state : undefined
    delete parsers[BOOLEAN]
    this.#process = isObject(state) && typeof state['pid'] === 'number' ? state['pid'] : undefined
    this.#open = true
  }

  async #connectSocket({ host, port, path }: Place): Promise<Duplex> {
    const { socket: make, ssl, sslnegotiation } = this.options
    const own = new Socket()
    const made: unknown = typeof make === 'function' ? await make(this.options) : own
    if (!(made instanceof Duplex)) throw over()
    this.#use(made)
    if (made === own) {
      own.connect(typeof path === 'string' ? { path } : { host: String(host), port: Number(port) })
      await once(own, 'connect')
      if (typeof path === 'string') return own
    }
    if (ssl === undefined || ssl === null || ssl === false) return made
    const socket = await secure(
      made,
      made === own ? String(host) : undefined,
      ssl,
      sslnegotiation === 'direct',
    )
    this.#use(socket)
    return socket
  }

  /** An open socket must not keep the process alive; a call that awaits an answer does. */
  #use(socket: Duplex): void {
    this.#socket = socket
    call(socket, 'unref')
    if (this.#givenUp) socket.destroy()
  }

  #lost(): void {
    this.#open = false
    for (const listener of this.#endListeners.splice(0)) listener()
  }
}

function placesOf({ host, port, path }: Options): Place[] {
  const hosts: unknown[] = Array.isArray(host) && !path ? host : [host]
  const ports: unknown[] = Array.isArray(port) ? port : [port]
  return hosts.map((each, index) => ({ host: each, port: ports[index % ports.length], path }))
}

/** Loads the package, to which an instance does not lead. An import would require the package of users of `pg` too. */
function load(sql: PostgresJs): MakeInstance {
  const found = installed('postgres')
  if (typeof found === 'function') return (options) => Reflect.apply(found, undefined, [options])
  throw new InvalidArgumentError(
    'sql',
    sql,
    `an instance of the package ${needed('postgres')}, which has to be installed where Holdfast finds it too`,
  )
}

function over(): Error {
  return new Error('The connection was given up.')
}

function isInstance(value: unknown): value is Instance {
  return isPostgresJs(value)
}
