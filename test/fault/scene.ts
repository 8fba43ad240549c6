import { Cluster, Redis } from 'ioredis5'
import { expect, inject } from 'vitest'
import { Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { type ClientLibrary, clientLibrary, clusterClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import type { Endpoint } from '../wire/wire.js'
import type { Match, ProxiedCommand } from './proxied-command.js'
import { type HeldReply, RespProxy } from './proxy.js'

let scenes = 0

/** One test's stage: a server (or a cluster) with a proxy before each node, clients that go through the proxies, and a view past them. */
export class Scene {
  /** A lock name nobody else uses. */
  readonly name: string
  readonly #made: Holdfast[] = []
  readonly #clients: RedisClient[] = []

  private constructor(
    readonly proxies: readonly RespProxy[],
    /** Straight to the server. */
    readonly direct: Redis | Cluster,
    private readonly pattern: (proxied: boolean, options: object) => RedisClient,
  ) {
    scenes += 1
    this.name = `scene:${process.pid}:${Date.now()}:${scenes}`
  }

  /** Before one server: that of the run, unless another is given. */
  static async standalone(
    library: ClientLibrary = clientLibrary,
    server: Endpoint = inject('servers').standalone,
  ): Promise<Scene> {
    const { host, port } = server
    const proxy = await RespProxy.before({ host, port })
    const direct = new Redis({ host, port })
    direct.on('error', () => undefined)
    return new Scene([proxy], direct, (proxied, options) =>
      standaloneClient({ ...options, host, port: proxied ? proxy.port : port }, library),
    )
  }

  /** Before a server on which commands can be counted. */
  static counted(library?: ClientLibrary): Promise<Scene> {
    return Scene.standalone(library, inject('servers').counted)
  }

  /** Before every node of the run's cluster; the client library maps the nodes' addresses to their proxies. */
  static async cluster(library: ClientLibrary = clientLibrary): Promise<Scene> {
    const { startupNodes } = inject('servers').cluster
    const proxies = await Promise.all(startupNodes.map((node) => RespProxy.before(node)))
    const natMap = Object.fromEntries(
      startupNodes.map(({ host, port }, index) => [
        `${host}:${port}`,
        { host: '127.0.0.1', port: proxies[index]?.port ?? 0 },
      ]),
    )
    return new Scene(proxies, new Cluster(startupNodes), (proxied, options) =>
      proxied
        ? clusterClient(
            proxies.map(({ host, port }) => ({ host, port })),
            { ...options, natMap },
            library,
          )
        : clusterClient(startupNodes, options, library),
    )
  }

  /** The proxy before the only server. */
  get proxy(): RespProxy {
    const [proxy] = this.proxies
    if (!proxy) throw new Error('no proxy')
    return proxy
  }

  /** Another process's client, in effect. */
  holdfast(
    options: HoldfastOptions = {},
    { proxied = true, client = {} }: { proxied?: boolean; client?: object } = {},
  ): Holdfast {
    const pattern = this.pattern(proxied, client)
    this.#clients.push(pattern)
    const holdfast = new Holdfast(pattern, options)
    this.#made.push(holdfast)
    return holdfast
  }

  /** See {@link RespProxy.dropReply}; by whichever node it comes. */
  dropReply(match: Match, then: 'break' | 'silence', nth = 1): Promise<ProxiedCommand> {
    return Promise.race(this.proxies.map((proxy) => proxy.dropReply(match, then, nth)))
  }

  holdReply(match: Match): Promise<HeldReply> {
    return Promise.race(this.proxies.map((proxy) => proxy.holdReply(match)))
  }

  /** Owner to hold count, as the server has it. */
  async holds(name = this.name): Promise<Record<string, string>> {
    const { since, ...holds } = await this.direct.hgetall(name)
    return Object.keys(holds).length === 0 && since !== undefined ? { since } : holds
  }

  ttl(name = this.name): Promise<number> {
    return this.direct.pttl(name)
  }

  /** No hold, no channel in the server; no caller, tenure, timer or stray in any client. */
  async nothingLeft(): Promise<void> {
    await eventually(
      () => this.holds(),
      (holds) => Object.keys(holds).length === 0,
    )
    for (const holdfast of this.#made) {
      await eventually(() => JSON.stringify(holdfast.census) === JSON.stringify(NOTHING))
    }
    // The server has not heard that they are over, and keeps their subscriptions.
    for (const { connections } of this.proxies)
      for (const connection of connections) if (connection.silent) connection.break()
    await eventually(async () => {
      return [await this.channels(), await this.processChannels(...this.#made)].flat().length === 0
    })
  }

  /** Channels of this scene's lock that somebody is subscribed to. */
  channels(): Promise<string[]> {
    return this.#subscribed(`*${this.name}*`)
  }

  /** Those of them that announce releases: the first in line listens there. */
  async releaseChannels(): Promise<string[]> {
    return (await this.channels()).filter((channel) => channel.startsWith('redisson_lock__channel:'))
  }

  /** Channels on which these clients hear of their places in line: one for each client, in a cluster one for each slot. */
  async processChannels(...clients: readonly Holdfast[]): Promise<string[]> {
    const ids = clients.map(clientIdOf)
    const channels = await this.#subscribed('holdfast:*')
    return channels.filter((channel) => ids.some((id) => channel.endsWith(`:${id}`)))
  }

  async #subscribed(pattern: string): Promise<string[]> {
    const nodes = this.direct instanceof Cluster ? this.direct.nodes('master') : [this.direct]
    const found: string[] = []
    for (const node of nodes) {
      for (const kind of ['CHANNELS', 'SHARDCHANNELS']) {
        const channels = await node.call('PUBSUB', kind, pattern)
        if (Array.isArray(channels)) found.push(...channels.map(String))
      }
    }
    return found
  }

  async end(): Promise<void> {
    for (const proxy of this.proxies) proxy.heal()
    const made = this.#made.splice(0)
    await Promise.all(made.map((holdfast) => holdfast.close()))
    for (const client of this.#clients.splice(0)) client.disconnect()
    this.direct.disconnect()
    await Promise.all(this.proxies.map((proxy) => proxy.stop()))
    for (const { census } of made) expect(census).toEqual(NOTHING)
  }
}

/** The first half of all its owners. */
export function clientIdOf(client: Holdfast): string {
  const owner = client.owner()
  return owner.slice(0, owner.lastIndexOf(':'))
}

/** The census of a client with nothing alive in it. */
export const NOTHING = { gates: 0, calls: 0, tenures: 0, watched: 0, orphans: 0, scopes: 0, timers: 0 }
