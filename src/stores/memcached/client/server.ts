import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { dial } from '../../../base/network/dial.js'
import { withDeadline } from '../../../base/time/with-deadline.js'
import { closedError, timeoutOf } from '../../../port/failure.js'
import type { StoreSettings } from '../../../port/store.js'
import type { ServerAddress } from './address.js'
import { Connection } from './connection.js'
import { type About, failureFor } from './failure.js'

/** A user and a password of the file that the server has been started with (`-Y`). */
export interface Credentials {
  /** Without spaces and colons. */
  readonly username: string
  /** Without spaces. */
  readonly password: string
}

/** How a client comes to servers. */
export interface Access {
  /** Options of Node's `tls.connect`; absent: without TLS. */
  readonly tls?: ConnectionOptions | undefined
  readonly credentials?: Credentials | (() => Credentials | Promise<Credentials>) | undefined
}

/** Commands share a connection that still opens; each puts its own name into a failure. */
const ABOUT: About = { command: 'connect' }

/** One server, and the connection to it: made on first use, and again when it has broken. */
export class Server {
  #connection: Connection | undefined
  #opening: Promise<Connection> | undefined
  /** The socket that still connects. */
  #stream: Socket | undefined
  #closed = false

  constructor(
    readonly address: ServerAddress,
    private readonly access: Access,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {}

  /** A connection that is open, by all that the client knows. Rejects with a `StoreError`, in time. */
  async connection(about: About, timeoutMs: number = this.settings.commandTimeoutMs): Promise<Connection> {
    if (this.#closed) throw closedError(about)
    if (this.#connection?.open) return this.#connection
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
      this.#stream = undefined
    })
    const opening = this.#opening.catch((error: unknown) => {
      throw failureFor(error, about)
    })
    const opened = await withDeadline(this.settings.schedule, timeoutMs, opening)
    if (this.#closed) throw closedError(about)
    if (opened) return opened
    throw timeoutOf(about, timeoutMs)
  }

  /** Breaks the connection, and rejects what is under way. */
  close(): void {
    this.#closed = true
    this.#stream?.destroy()
    this.#connection?.destroy(new Error('the client was closed'))
  }

  async #open(): Promise<Connection> {
    const { tls, credentials } = this.access
    const stream = dial(this.address, tls)
    this.#stream = stream
    // Callers learn of its failure by their own requests.
    stream.on('error', () => undefined)
    const connection = new Connection(stream, this.settings)
    try {
      if (credentials) {
        const { username, password } = await this.#ask(credentials)
        const text = `${username} ${password}`
        const login = { ...ABOUT, login: true } as const
        await connection.ask([`set holdfast 0 0 ${Buffer.byteLength(text)}\r\n${text}\r\n`], login)
      }
      await connection.ask(['mn\r\n'], ABOUT)
    } catch (error) {
      connection.destroy(error)
      throw error
    }
    this.#connection = connection
    return connection
  }

  async #ask(credentials: NonNullable<Access['credentials']>): Promise<Credentials> {
    if (typeof credentials !== 'function') return credentials
    const { schedule, commandTimeoutMs } = this.settings
    const given = await withDeadline(schedule, commandTimeoutMs, Promise.resolve(credentials()))
    if (given) return given
    throw timeoutOf({ command: 'credentials' }, commandTimeoutMs)
  }
}

/**
 * The one of these servers that has the lock of that key. That follows from its name and the list of servers alone (rendezvous hashing: the
 * server whose hash with the name is the greatest), so that a server more or less moves the fewest locks.
 */
export function serverOf(key: string, servers: readonly Server[]): Server {
  const beats = (one: Server, other: Server): boolean => weightOf(key, one).compare(weightOf(key, other)) > 0
  return servers.reduce((one, other) => (beats(other, one) ? other : one))
}

function weightOf(key: string, { address }: Server): Buffer {
  return createHash('sha256').update(`${address.text}\n${key}`).digest()
}
