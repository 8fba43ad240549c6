import { pauseMs } from '../core/outage.js'
import type { Schedule } from '../core/schedule.js'
import { StoreError } from '../errors.js'
import type { ClusterClient, StandaloneClient } from './client.js'
import { Connection, letProcessEnd } from './connection.js'
import { hangUp } from './hang-up.js'
import type { About, Argument, Link, LinkListener, NodeLink, Order, Send } from './link.js'
import { connectionSettings } from './settings.js'
import { slotOf } from './slot.js'
import { corked } from './standalone-link.js'
import { Subscriber } from './subscriber.js'

/**
 * A Redis Cluster. Announcements are sharded pub/sub, as Redisson's are there: each goes to the one node that serves the
 * channel's slot, so there is one subscribed connection for each node that has waiters.
 */
export class ClusterLink implements Link {
  readonly publishCommand = 'SPUBLISH'
  readonly countCommand = 'SHARDNUMSUB'
  readonly subscribesInOrder = false
  readonly #cluster: Connection<ClusterClient>
  readonly #subscribers = new Map<string, Subscriber>()
  /** The subscriber on which each channel is subscribed. */
  readonly #homes = new Map<string, Subscriber>()
  /** The channels somebody watches, whether or not they are subscribed at the moment. */
  readonly #wanted = new Set<string>()
  /** One for each node, so that they can be told apart. */
  readonly #nodeLinks = new WeakMap<StandaloneClient, NodeLink>()
  #nodeBreaks = 0
  readonly #call: Send = (command, ...args) => this.#cluster.client.call(command, ...args)

  constructor(
    pattern: ClusterClient,
    private readonly schedule: Schedule,
    private readonly commandTimeoutMs: number,
    private readonly listener: LinkListener,
  ) {
    const { redisOptions } = pattern.options
    const settings = {
      lazyConnect: true,
      keyPrefix: '',
      scaleReads: 'master',
      shardedSubscribers: false,
      enableOfflineQueue: true,
      enableAutoPipelining: false,
      clusterRetryStrategy: () => null,
      clusterNodeRetryStrategy: () => null,
      // Zero means never: what the core was told has failed must not be delivered once more behind its back (rule X1).
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      scripts: undefined,
      redisOptions: { ...redisOptions, ...connectionSettings(commandTimeoutMs, 'commands', redisOptions) },
    }
    this.#cluster = new Connection(() => pattern.duplicate([], settings), schedule, commandTimeoutMs, {
      events: {
        '+node': (node) => {
          if (isNode(node)) node.on('connect', () => letProcessEnd(node))
        },
        '-node': () => {
          this.#nodeBreaks += 1
        },
        'node error': () => undefined,
      },
    })
  }

  get breaks(): number {
    return this.#cluster.breaks + this.#nodeBreaks
  }

  send(key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.#cluster.inTime(
      about,
      () => this.#call(command, ...args),
      () => this.#dropNode(key),
    )
  }

  carryOut<Result>(key: string, order: (send: Send) => Order<unknown, Result>): Promise<Result> {
    return this.#cluster.carryOut(order(this.#call), () => this.#dropNode(key))
  }

  together<Result>(body: () => Result): Result {
    return corked(this.#cluster.ready ? this.#cluster.client.nodes('master') : [], body)
  }

  async subscribe(channel: string): Promise<void> {
    await this.#subscribeAtHome(channel)
    this.#wanted.add(channel)
  }

  unsubscribe(channel: string): void {
    this.#wanted.delete(channel)
    this.#homes.get(channel)?.unsubscribe(channel)
    this.#homes.delete(channel)
  }

  async nodes(): Promise<readonly NodeLink[]> {
    await this.#slotsKnown({ command: 'CLUSTER SLOTS' })
    return this.#cluster.client.nodes('master').map((node) => this.#nodeLink(node))
  }

  async nodeOf(key: string): Promise<NodeLink> {
    return this.#nodeLink(await this.#master(key, { command: 'CLUSTER SLOTS' }))
  }

  async close(): Promise<void> {
    for (const subscriber of this.#subscribers.values()) subscriber.close()
    this.#subscribers.clear()
    this.#homes.clear()
    this.#wanted.clear()
    this.#cluster.close()
  }

  #nodeLink(node: StandaloneClient): NodeLink {
    const known = this.#nodeLinks.get(node)
    if (known) return known
    const link: NodeLink = {
      send: (about, command, ...args) =>
        this.#cluster.inTime(
          about,
          () => node.call(command, ...args),
          () => this.#hangUp(node),
        ),
    }
    this.#nodeLinks.set(node, link)
    return link
  }

  async #subscribeAtHome(channel: string): Promise<void> {
    const subscriber = this.#subscriberFor(await this.#master(channel, { command: 'SSUBSCRIBE' }))
    await subscriber.subscribe(channel)
    this.#homes.set(channel, subscriber)
  }

  async #master(key: string, about: About): Promise<StandaloneClient> {
    await this.#slotsKnown(about)
    const node = this.#servingNode(key)
    // Between two views of a changing cluster: the next one will know.
    if (!node) throw new StoreError('not-ready', about.command, { transient: true })
    return node
  }

  #servingNode(key: string): StandaloneClient | undefined {
    const { client } = this.#cluster
    const address = client.slots[slotOf(key)]?.[0]
    return client.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address)
  }

  /** Any command makes the cluster client learn the slots first. */
  async #slotsKnown(about: About): Promise<void> {
    if (!this.#cluster.ready) await this.#cluster.send(about, 'PING')
  }

  #subscriberFor(master: StandaloneClient): Subscriber {
    const address = `${master.options.host}:${master.options.port}`
    const known = this.#subscribers.get(address)
    if (known) return known
    const settings = connectionSettings(this.commandTimeoutMs, 'news')
    const connection = new Connection(
      () => master.duplicate(settings),
      this.schedule,
      this.commandTimeoutMs,
      {
        ready: () => subscriber.resume(),
        broken: () => this.#evacuate(address, subscriber),
        events: {
          smessage: (channel, text) => this.listener.message(String(channel), String(text)),
          // ioredis says so when the server ends subscriptions because their slots have moved away.
          moved: () => this.#evacuate(address, subscriber),
        },
      },
    )
    const subscriber = new Subscriber(connection, 'sharded', false, this.schedule, this.listener)
    this.#subscribers.set(address, subscriber)
    return subscriber
  }

  /** A node has gone or given slots away: its channels may be served elsewhere now. */
  #evacuate(address: string, subscriber: Subscriber): void {
    if (this.#subscribers.get(address) !== subscriber) return
    this.#subscribers.delete(address)
    subscriber.close()
    for (const [channel, home] of this.#homes) if (home === subscriber) this.#restore(channel, 1)
  }

  /**
   * Subscribes again wherever the channel lives now, until that succeeds or nobody wants it any more. Who waits meanwhile is
   * not forgotten: it looks for itself when the lease it saw has ended.
   */
  #restore(channel: string, failures: number): void {
    this.#homes.delete(channel)
    this.schedule.at(this.schedule.clock.now() + pauseMs(failures), () => {
      if (!this.#wanted.has(channel) || this.#homes.has(channel)) return
      this.#subscribeAtHome(channel).then(
        () => this.listener.resumed([channel]),
        () => this.#restore(channel, failures + 1),
      )
    })
  }

  #dropNode(key: string): void {
    const node = this.#cluster.ready ? this.#servingNode(key) : undefined
    if (node) this.#hangUp(node)
    else void this.#cluster.drop()
  }

  /** Breaks the connection to one node, and where that cannot be done all of them. */
  #hangUp(node: StandaloneClient): void {
    void hangUp(node, this.schedule).then((done) => {
      if (!done) void this.#cluster.drop()
    })
  }
}

function isNode(value: unknown): value is StandaloneClient {
  return typeof value === 'object' && value !== null && 'on' in value
}
