import type { ConnectionOptions } from 'node:tls'
import type { Schedule } from '../../../base/time/schedule.js'
import { withDeadline } from '../../../base/time/with-deadline.js'
import { Channel } from './channel.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'
import type { Headers } from './http2/headers.js'
import { replies } from './replies.js'
import { requests } from './requests.js'

/** Where etcd is, and how to log in. */
export interface EtcdAddress {
  /** One for each server, as URLs. */
  readonly hosts: readonly string[]
  readonly tls: ConnectionOptions | undefined
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

/** The one connection of a client, to the first of its servers that answers; after that has failed, to the next. */
export class Connections {
  /** The one for new calls, if it is open. */
  current: Channel | undefined
  /** All channels that have not ended: calls under way keep one that takes no new calls. */
  readonly #all = new Set<Channel>()
  #opening: Promise<Channel> | undefined
  #login: Promise<string | undefined> | undefined
  #next = 0
  /** The metadata of each call, the same object until it changes. It makes a server without a leader refuse at once, instead of letting the call wait. */
  metadata: Headers = { hasleader: 'true' }
  #closed = false

  constructor(
    private readonly address: EtcdAddress,
    private readonly schedule: Schedule,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects if no server answers. */
  open(): Promise<Channel> {
    if (this.current) return Promise.resolve(this.current)
    this.#opening ??= this.#openNext().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** The next call goes to the next server. What is under way goes on. */
  leave(channel: Channel): void {
    if (this.current === channel) {
      this.current = undefined
      this.#next += 1
    }
    channel.leave()
  }

  /** Ends a useless channel: what is under way on it fails, too. */
  drop(channel: Channel): void {
    this.leave(channel)
    channel.end()
  }

  /** Logs in anew, unless the client has done so since it used this token. Concurrent calls share one login. */
  async renewToken(channel: Channel, used: unknown): Promise<void> {
    if (this.token !== used) return
    this.#login ??= this.#authenticate(channel).finally(() => {
      this.#login = undefined
    })
    this.#sendWith(await this.#login)
  }

  close(): void {
    this.#closed = true
    // One that is still opening, too.
    for (const channel of [...this.#all]) channel.end()
    this.current = undefined
  }

  /** That of its login. */
  get token(): string | undefined {
    return this.metadata['token']
  }

  #sendWith(token: string | undefined): void {
    this.metadata = token === undefined ? { hasleader: 'true' } : { hasleader: 'true', token }
  }

  async #openNext(): Promise<Channel> {
    const { hosts } = this.address
    let failure: unknown
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const url = hosts[(this.#next + tried) % hosts.length] ?? ''
      if (this.#closed) break
      try {
        const channel = await this.#openOne(url)
        this.#next = (this.#next + tried) % hosts.length
        return channel
      } catch (error) {
        // Every server would refuse it.
        if (error instanceof GrpcError && error.code !== grpcCodes.unavailable) throw error
        failure = error
      }
    }
    this.#next += 1
    throw failure ?? new ConnectionError('the client was closed', false)
  }

  async #openOne(url: string): Promise<Channel> {
    const { tls, credentials, hosts } = this.address
    const channel: Channel = new Channel(url, tls, {
      leaving: () => this.leave(channel),
      ended: () => {
        this.#all.delete(channel)
        this.leave(channel)
      },
    })
    this.#all.add(channel)
    try {
      const patienceMs = this.timeoutMs / hosts.length
      const opened = channel.opened.then(async () => {
        if (credentials && this.token === undefined) this.#sendWith(await this.#authenticate(channel))
        return true
      })
      if (!(await withDeadline(this.schedule, patienceMs, opened)))
        throw new ConnectionError(`${new URL(url).host} did not answer within ${patienceMs} ms`, false)
      if (this.#closed) throw new ConnectionError('the client was closed', false)
    } catch (error) {
      channel.end()
      throw error
    }
    this.current = channel
    return channel
  }

  async #authenticate(channel: Channel): Promise<string | undefined> {
    const { credentials } = this.address
    if (!credentials) return undefined
    try {
      const request = requests.authenticate(credentials.user, credentials.password)
      return replies.token(await channel.ask('/etcdserverpb.Auth/Authenticate', request, {}))
    } catch (error) {
      // The server asks nobody for a password.
      if (error instanceof GrpcError && error.message.includes('authentication is not enabled'))
        return undefined
      throw error
    }
  }
}
