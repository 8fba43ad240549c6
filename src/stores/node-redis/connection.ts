import { EventEmitter } from 'eventemitter3'
import type { Address } from '../../base/checks/address.js'
import { isError } from '../../base/errors/is-error.js'
import type { StandaloneClient } from '../redis/connection/client.js'
import type { Argument } from '../redis/connection/link.js'
import { followLogin, namedAsByIoredis, PLAIN } from './options.js'
import { fieldOf, isServerClient, objectIn, type ServerClient } from './shapes.js'

/** Says where the server is, before each new connection. */
export interface Whereabouts {
  /** @param signal ends the search */
  find(signal: AbortSignal, settings: object): Promise<Address>
  /** Throws if the connected server is not the right one. */
  check(send: (...words: string[]) => Promise<unknown>): Promise<void>
  /** The options by which a thread finds it too, by ioredis's names. */
  readonly options: object
}

const CLOSED = 'Connection is closed.'

/** Error replies begin with a code in capitals; what node-redis and Node say of a connection does not. */
const REPLY = /^-?[A-Z][A-Z0-9_]*(?: |$)/

/** A command that waits for the connection. */
interface Waiting {
  go(client: ServerClient): void
  fail(error: unknown): void
}

/**
 * A client of one server or of a Sentinel group, in the shape in which Holdfast takes clients. For each connection it makes a new client of
 * node-redis after the application's, and destroys it when the connection has ended: so the library sends, subscribes and connects nothing
 * again behind Holdfast's back.
 */
export class NodeRedisConnection extends EventEmitter<string> implements StandaloneClient {
  readonly isCluster = false
  readonly options: Readonly<Record<string, unknown>> & StandaloneClient['options']
  status: 'wait' | 'connecting' | 'ready' | 'end' = 'wait'
  /** As ioredis notes it of a connection. */
  condition: { readonly protocol: number } | undefined
  #client: ServerClient | undefined
  /** Ends the connection, or the attempt to make one. */
  #ending: AbortController | undefined
  #waiting: Waiting[] = []
  readonly #heard = (text: string, channel: string): void => void this.emit('message', channel, text)
  readonly #heardOfShard = (text: string, channel: string): void => void this.emit('smessage', channel, text)

  constructor(
    /** Never connected. */
    private readonly pattern: ServerClient,
    /** Where the server is, if not where the pattern says. */
    private readonly whereabouts: Whereabouts | undefined,
    private readonly keyPrefix: string,
    /** Settings of Holdfast's own, by ioredis's names; none where this stands for the application's client. */
    private readonly settings: object = {},
  ) {
    super()
    const protocol = protocolOf(pattern)
    const theirs = { ...namedAsByIoredis(pattern.options), ...whereabouts?.options }
    this.options = { ...theirs, protocol, ...settings, keyPrefix }
    followLogin(this.options, pattern.options)
  }

  duplicate(settings: object = {}): NodeRedisConnection {
    const keyPrefix = fieldOf(settings, 'keyPrefix') ?? this.keyPrefix
    return new NodeRedisConnection(this.pattern, this.whereabouts, String(keyPrefix), {
      ...this.settings,
      ...settings,
    })
  }

  async connect(): Promise<void> {
    if (this.#ending) throw new Error('A connection is open, or is being made.')
    const ending = new AbortController()
    this.#ending = ending
    this.status = 'connecting'
    try {
      await this.#open(ending)
    } catch (error) {
      this.#end(ending, namedReply(error))
      throw error
    }
  }

  disconnect(): void {
    if (this.#ending) this.#end(this.#ending)
    else this.status = 'end'
  }

  call(command: string, ...args: Array<Argument | readonly Argument[]>): Promise<unknown> {
    const words = [command, ...args.flat()].map((word) => (typeof word === 'number' ? String(word) : word))
    return this.#answer((client) => client.sendCommand(words))
  }

  /** For a command that a cluster has sent on to this node. The link to a cluster looks for it by this name, which it has in ioredis. */
  asking(): Promise<unknown> {
    return this.call('ASKING')
  }

  async subscribe(...channels: string[]): Promise<unknown> {
    return await this.#each(channels, (client, channel) => client.subscribe(channel, this.#heard))
  }

  async unsubscribe(...channels: string[]): Promise<unknown> {
    return await this.#each(channels, (client, channel) => client.unsubscribe(channel, this.#heard))
  }

  async ssubscribe(...channels: string[]): Promise<unknown> {
    return await this.#each(channels, (client, channel) => client.sSubscribe(channel, this.#heardOfShard))
  }

  async sunsubscribe(...channels: string[]): Promise<unknown> {
    return await this.#each(channels, (client, channel) => client.sUnsubscribe(channel, this.#heardOfShard))
  }

  #each(
    channels: readonly string[],
    ask: (client: ServerClient, channel: string) => Promise<unknown>,
  ): Promise<unknown> {
    return Promise.all(channels.map((channel) => this.#answer((client) => ask(client, channel))))
  }

  /** Sends a command once there is a connection, and returns the answer; the end of the connection rejects it. */
  #answer(ask: (client: ServerClient) => Promise<unknown>): Promise<unknown> {
    if (this.#client && this.status === 'ready') return this.#sent(this.#client, ask)
    if (this.status === 'end') return Promise.reject(new Error(CLOSED))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ go: (client) => resolve(this.#sent(client, ask)), fail: reject })
      // The failure reaches the command.
      if (this.status === 'wait') this.connect().catch(() => undefined)
    })
  }

  async #sent(client: ServerClient, ask: (client: ServerClient) => Promise<unknown>): Promise<unknown> {
    try {
      return await ask(client)
    } catch (error) {
      const told = namedReply(error)
      // Some errors are a reason to look for another server: the settings say which.
      const leads = fieldOf(this.settings, 'reconnectOnError')
      if (typeof leads === 'function' && Reflect.apply(leads, undefined, [told])) this.disconnect()
      throw told
    }
  }

  async #open(ending: AbortController): Promise<void> {
    const { signal } = ending
    const address = await this.whereabouts?.find(signal, this.settings)
    signal.throwIfAborted()
    const client = this.pattern.duplicate(this.#overrides(signal, address))
    if (!isServerClient(client)) throw new Error('duplicate() returned something other than a client.')
    this.#client = client
    client.on('error', (error) => this.#end(ending, namedReply(error)))
    client.on('end', () => this.#end(ending))
    // It emits this when the server has ended a subscription because its slot has moved.
    client.on('sharded-channel-moved', () => this.emit('moved'))
    client.on('connect', () => this.emit('connect'))
    // Holdfast's sockets keep no process alive; awaited calls do.
    client.unref()
    await client.connect()
    signal.throwIfAborted()
    await this.whereabouts?.check((...words) => client.sendCommand(words))
    signal.throwIfAborted()
    this.condition = { protocol: protocolOf(this.pattern) }
    this.status = 'ready'
    // The subscriptions go out before any waiting command.
    this.emit('ready')
    for (const { go } of this.#waiting.splice(0)) go(client)
  }

  #overrides(signal: AbortSignal, address: Address | undefined): object {
    const { settings } = this
    const connectTimeout = fieldOf(settings, 'connectTimeout')
    return {
      RESP: protocolOf(this.pattern),
      name: fieldOf(settings, 'connectionName') ?? fieldOf(this.pattern.options, 'name'),
      ...(fieldOf(settings, 'db') === 0 && { database: 0 }),
      socket: {
        ...objectIn(this.pattern.options, 'socket'),
        ...address,
        ...(typeof connectTimeout === 'number' && { connectTimeout }),
        keepAlive: true,
        keepAliveInitialDelay: fieldOf(settings, 'keepAlive') ?? 10_000,
        socketTimeout: undefined,
        reconnectStrategy: false,
        // Ends the socket also while it connects; `destroy` does not.
        signal,
      },
      ...PLAIN,
    }
  }

  #end(ending: AbortController, error?: unknown): void {
    if (this.#ending !== ending) return
    const client = this.#client
    this.#ending = undefined
    this.#client = undefined
    this.condition = undefined
    this.status = 'end'
    if (error !== undefined) this.emit('error', error)
    ending.abort()
    try {
      client?.destroy()
    } catch {
      // Version 5 throws if it has ended by itself.
    }
    for (const { fail } of this.#waiting.splice(0)) fail(error ?? new Error(CLOSED))
    this.emit('end')
  }
}

/** RESP2 unless the application asks for RESP3: where it asks for neither, versions of node-redis differ. */
function protocolOf({ options }: ServerClient): number {
  return Number(fieldOf(options, 'RESP') ?? 2)
}

/**
 * The error under the name that error replies have with ioredis, if it is one. Its text tells: each version of node-redis has its own
 * classes, and bundles lose their names.
 */
function namedReply(error: unknown): unknown {
  if (isError(error) && !('code' in error) && REPLY.test(error.message)) error.name = 'ReplyError'
  return error
}

/** A place that is always the same. */
export function at(address: Address): Whereabouts {
  return { find: async () => address, check: async () => undefined, options: address }
}
