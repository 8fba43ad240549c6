import { StoreError } from '../../../base/errors/errors.js'
import type { Schedule } from '../../../base/time/schedule.js'
import type { About } from '../../../port/failure.js'
import { announce } from '../channels/announcements.js'
import { slotOf } from '../keys/slot.js'
import type { ClusterClient, StandaloneClient } from './client.js'
import { Connection, type Peer } from './connection.js'
import { credentialsOf, followCredentials } from './credentials.js'
import { hangUp } from './hang-up.js'
import type { Announcement, Argument, Command, Link, LinkListener, NodeLink, Send } from './link.js'
import { connectionSettings } from './settings.js'
import { addressOf, ShardSubscriptions, type SlotTable } from './shard-subscriptions.js'
import { corked } from './standalone-link.js'
import { streamOf } from './stream.js'

/**
 * A Redis Cluster. Announcements use sharded pub/sub, as Redisson's do there: each goes to the one node that serves the channel's
 * slot, so each node with waiters costs one subscribed connection.
 */
export class ClusterLink implements Link {
  readonly publishCommand = 'SPUBLISH'
  readonly subscribesInOrder = false
  readonly #cluster: Connection<ClusterClient>
  readonly #subscriptions: ShardSubscriptions
  /** One for each node, to tell them apart. */
  readonly #nodeLinks = new WeakMap<StandaloneClient, NodeLink>()
  /** The nodes by address, each judged by its own answers: the others may still answer when one is silent. */
  readonly #peers = new Map<string, Peer>()
  #nodeBreaks = 0
  /** How often the library redirected a command to the node that a slot moves to, and the last such node. */
  #sentOn = 0
  #sentOnTo: StandaloneClient | undefined
  /** Links to such nodes, for commands that they take before the slot is theirs. */
  readonly #askingLinks = new WeakMap<StandaloneClient, NodeLink>()
  /** In lower case: otherwise ioredis 5 and iovalkey do not recognise the keys among the arguments, and ask any node. */
  readonly #call: Send = (command, ...args) => this.#cluster.client.call(command.toLowerCase(), ...args)

  constructor(
    pattern: ClusterClient,
    private readonly schedule: Schedule,
    commandTimeoutMs: number,
    private readonly listener: LinkListener,
  ) {
    const { redisOptions } = pattern.options
    let copied = credentialsOf(pattern)
    const settings = {
      lazyConnect: true,
      keyPrefix: '',
      scaleReads: 'master',
      shardedSubscribers: false,
      enableOfflineQueue: true,
      enableAutoPipelining: false,
      clusterRetryStrategy: () => null,
      clusterNodeRetryStrategy: () => null,
      // Zero means never: the library must not resend a command that the core counts as failed (rule X1).
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      retryDelayOnMoved: 0,
      maxRedirections: 16,
      // The library tries sixteen times. That is safe, but the core has better things to do than to wait.
      retryDelayOnTryAgain: 10,
      // Failing commands show that slots have moved; a timer would keep the process alive.
      slotsRefreshInterval: undefined,
      scripts: undefined,
      redisOptions: { ...redisOptions, ...connectionSettings(commandTimeoutMs, 'commands', redisOptions) },
    }
    const make = (): ClusterClient => {
      copied = credentialsOf(pattern)
      return pattern.duplicate([], { ...settings, redisOptions: { ...settings.redisOptions, ...copied } })
    }
    this.#cluster = new Connection(make, schedule, commandTimeoutMs, {
      events: {
        '+node': (node) => {
          if (!isNode(node)) return
          followCredentials(node.options, pattern, copied)
          node.on('connect', () => streamOf(node)?.unref?.())
          this.#countSentOn(node)
        },
        '-node': (node) => {
          this.#nodeBreaks += 1
          // Another node may serve its slots now. iovalkey would not ask, and try this node again and again.
          if (this.#cluster.ready) this.#cluster.client.refreshSlotsCache?.()
          if (isNode(node)) this.#subscriptions.evacuate(addressOf(node))
        },
        'node error': () => undefined,
        refresh: () => this.#subscriptions.follow(),
      },
    })
    const table: SlotTable = {
      addressFor: (channel) => this.#addressFor(channel),
      primaryFor: (channel) => this.#primary(channel, { command: 'SSUBSCRIBE' }),
      ask: async (channel) => {
        await this.send(channel, { command: 'PTTL' }, 'PTTL', channel)
        return await this.#primary(channel, { command: 'SSUBSCRIBE' })
      },
    }
    this.#subscriptions = new ShardSubscriptions(table, schedule, commandTimeoutMs, listener)
  }

  get breaks(): number {
    return this.#cluster.breaks + this.#nodeBreaks
  }

  send(key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.#cluster.inTime(about, () => this.#call(command, ...args), this.#peerFor(key))
  }

  execute<Result>(key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    this.#subscriptions.verify()
    const made = make(this.#call)
    const { announces } = made
    const told = announces ? this.#toldAtBothEnds(made, announces) : made
    return this.#cluster.execute(told, this.#peerFor(key))
  }

  doubtNews(): void {
    this.#subscriptions.verify(0)
  }

  together<Result>(body: () => Result): Result {
    return corked(this.#cluster.ready ? this.#cluster.client.nodes('master') : [], body)
  }

  subscribe(channel: string): Promise<void> {
    return this.#subscriptions.subscribe(channel)
  }

  unsubscribe(channel: string): void {
    this.#subscriptions.unsubscribe(channel)
  }

  async nodes(): Promise<readonly NodeLink[]> {
    await this.#slotsKnown({ command: 'CLUSTER SLOTS' })
    return this.#cluster.client.nodes('master').map((node) => this.#nodeLink(node))
  }

  async nodeOf(key: string): Promise<NodeLink> {
    return this.#nodeLink(await this.#primary(key, { command: 'CLUSTER SLOTS' }))
  }

  async destinationOf(key: string): Promise<NodeLink | undefined> {
    const before = this.#sentOn
    await this.send(key, { command: 'PTTL' }, 'PTTL', key)
    return this.#sentOn === before || !this.#sentOnTo ? undefined : this.#nodeLink(this.#sentOnTo, true)
  }

  reconnect(): Promise<void> {
    return this.#cluster.drop()
  }

  async close(): Promise<void> {
    this.#subscriptions.close()
    this.#cluster.close()
  }

  /**
   * While a slot moves, its new node runs the scripts and announces, but the listeners are still subscribed at the old node, which serves
   * the channel until the move ends. They get a separate message.
   */
  #toldAtBothEnds<Result>(
    command: Command<unknown, Result>,
    { channel, text }: Announcement,
  ): Command<unknown, Result> {
    const before = this.#sentOn
    const read = async (reply: unknown): Promise<Result> => {
      await announce(this, command.about.lockName, channel, text, (error) => this.listener.error(error))
      return await command.read(reply)
    }
    return { ...command, read: (reply) => (this.#sentOn === before ? command.read(reply) : read(reply)) }
  }

  /** The library follows such a redirection by itself; only its call on the node shows that. */
  #countSentOn(node: StandaloneClient): void {
    if (!('asking' in node) || typeof node.asking !== 'function') return
    const ask = node.asking.bind(node)
    Object.assign(node, {
      asking: (): unknown => {
        this.#sentOn += 1
        this.#sentOnTo = node
        return ask()
      },
    })
  }

  /** @param asks whether it sends `ASKING` before each command, since the permission holds for one command */
  #nodeLink(node: StandaloneClient, asks = false): NodeLink {
    const links = asks ? this.#askingLinks : this.#nodeLinks
    const known = links.get(node)
    if (known) return known
    const peer = this.#peerAt(addressOf(node))
    const link: NodeLink = {
      send: (about, command, ...args) => {
        // Where it fails the command fails too, and reports it.
        if (asks) this.#cluster.inTime(about, () => node.call('ASKING'), peer).catch(() => undefined)
        return this.#cluster.inTime(about, () => node.call(command, ...args), peer)
      },
    }
    links.set(node, link)
    return link
  }

  async #primary(key: string, about: About): Promise<StandaloneClient> {
    await this.#slotsKnown(about)
    const node = this.#nodeAt(this.#addressFor(key))
    // Between two views of a changing cluster: the next view decides.
    if (!node) {
      const hint = 'No primary serves the slot of the lock: check the cluster (CLUSTER INFO).'
      throw new StoreError('not-ready', about.command, { ...about, transient: true, hint })
    }
    return node
  }

  #nodeAt(address: string | undefined): StandaloneClient | undefined {
    return this.#cluster.client.nodes('master').find((node) => addressOf(node) === address)
  }

  #addressFor(key: string): string | undefined {
    return this.#cluster.client.slots[slotOf(key)]?.[0]
  }

  /** Any command makes the cluster client learn the slots first. */
  async #slotsKnown(about: About): Promise<void> {
    if (!this.#cluster.ready) await this.#cluster.send(about, 'PING')
  }

  /** The node that serves the key, if the client knows it yet. */
  #peerFor(key: string): Peer | undefined {
    const address = this.#addressFor(key)
    return address === undefined ? undefined : this.#peerAt(address)
  }

  #peerAt(address: string): Peer {
    const known = this.#peers.get(address)
    if (known) return known
    const peer = { heard: 0, drop: () => void this.#dropNode(address) }
    this.#peers.set(address, peer)
    return peer
  }

  /** Breaks the connection to one node; if that is not possible, all of them. */
  async #dropNode(address: string): Promise<void> {
    const node = this.#cluster.ready ? this.#nodeAt(address) : undefined
    if (!node || !(await hangUp(node, this.schedule))) await this.#cluster.drop()
  }
}

function isNode(value: unknown): value is StandaloneClient {
  return typeof value === 'object' && value !== null && 'on' in value
}
