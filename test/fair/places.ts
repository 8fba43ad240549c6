/** Fair locks at their port, without the wait loop: what the store promises by itself, in each place it is kept. */
import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Clock, SystemClock } from '../../src/core/clock.js'
import { Schedule } from '../../src/core/schedule.js'
import { MemoryFairLines } from '../../src/memory/fair-lines.js'
import { MemoryFairLockPort } from '../../src/memory/fair-lock.js'
import { MemoryLocks } from '../../src/memory/locks.js'
import { MemoryLockPort } from '../../src/memory/port.js'
import { VirtualClock } from '../../src/memory/virtual-clock.js'
import { isCluster, type RedisClient } from '../../src/redis/client.js'
import { ClusterLink } from '../../src/redis/cluster-link.js'
import { FairLockPort } from '../../src/redis/fair-lock.js'
import type { Link, LinkListener } from '../../src/redis/link.js'
import { ReentrantLockPort } from '../../src/redis/reentrant-lock.js'
import { ReleaseChannels } from '../../src/redis/release-channel.js'
import { StandaloneLink } from '../../src/redis/standalone-link.js'
import type { LockPort, StoreLine } from '../../src/store.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { FairClient, WATCHDOG_MS } from './client.js'

export interface ClientOptions {
  /** How long its places last without being kept up. */
  readonly waiterLeaseMs?: number
  readonly clock?: Clock
}

/** Where fair locks are kept. */
export abstract class FairPlace {
  readonly #clients: FairClient[] = []

  constructor(readonly name: string) {}

  /** Another process's client, in effect. */
  client({ waiterLeaseMs = 5_000, clock = new SystemClock() }: ClientOptions = {}): FairClient {
    const client = this.open(randomUUID(), waiterLeaseMs, clock)
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()))
  }

  /** Lets time pass where the locks are. */
  abstract pass(ms: number): Promise<void>

  protected abstract open(clientId: string, waiterLeaseMs: number, clock: Clock): FairClient
}

export class MemoryPlace extends FairPlace {
  readonly #clock = new VirtualClock()
  readonly #lines = new MemoryFairLines(new MemoryLocks(this.#clock))

  constructor() {
    super('memory')
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms)
  }

  protected open(clientId: string, waiterLeaseMs: number): FairClient {
    const port = new MemoryFairLockPort(this.#lines, { clientId, waiterLeaseMs })
    return new FairClient(clientId, port, new MemoryLockPort(this.#lines.locks), async () => port.close())
  }
}

export class RedisPlace extends FairPlace {
  constructor(
    name: string,
    private readonly pattern: () => RedisClient,
  ) {
    super(name)
  }

  static standalone(): RedisPlace {
    return new RedisPlace('standalone', () => standaloneClient(inject('servers').standalone))
  }

  static cluster(): RedisPlace {
    return new RedisPlace('cluster', () => clusterClient(inject('servers').cluster.startupNodes))
  }

  async pass(ms: number): Promise<void> {
    const until = (await this.timeMs()) + ms
    await eventually(
      () => this.timeMs(),
      (now) => now > until,
    )
  }

  /** What time it is at the server. */
  async timeMs(): Promise<number> {
    const time = await this.ask('any', 'TIME')
    const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : []
    return (seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000
  }

  /** The names of all keys that contain that text. */
  async keys(text: string): Promise<string[]> {
    const found: string[] = []
    for (const node of await this.#bystander().nodes()) {
      const keys = await node.send({ command: 'KEYS' }, 'KEYS', `*${text.replace(/[\\*?[\]]/g, '\\$&')}*`)
      if (Array.isArray(keys)) found.push(...keys.map(String))
    }
    return found.sort()
  }

  /** Asks the node where that key lives, as a bystander. */
  async ask(key: string, command: string, ...args: Array<string | number>): Promise<unknown> {
    return await this.#bystander().send(key, { command }, command, ...args)
  }

  /** Asks every node. */
  async askAll(command: string, ...args: string[]): Promise<void> {
    for (const node of await this.#bystander().nodes()) await node.send({ command }, command, ...args)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#link?.close()
    this.#link = undefined
  }

  #link: Link | undefined

  #bystander(): Link {
    this.#link ??= this.#connect(new SystemClock(), {
      message: () => undefined,
      resumed: () => undefined,
      error: () => undefined,
    }).link
    return this.#link
  }

  #connect(clock: Clock, listener: LinkListener): { link: Link; schedule: Schedule } {
    const schedule = new Schedule(clock, (error) => listener.error(error))
    const pattern = this.pattern()
    const link = isCluster(pattern)
      ? new ClusterLink(pattern, schedule, 5_000, listener)
      : new StandaloneLink(pattern, schedule, 5_000, listener)
    return { link, schedule }
  }

  protected open(clientId: string, waiterLeaseMs: number, clock: Clock): FairClient {
    const errors: unknown[] = []
    const { link, schedule } = this.#connect(clock, {
      message: (channel, text) => channels.announce(channel, text),
      resumed: (resumed) => {
        for (const channel of resumed) channels.announce(channel)
      },
      error: (error) => errors.push(error),
    })
    const channels = new ReleaseChannels(() => link, schedule)
    const onError = (error: unknown): number => errors.push(error)
    const plain = new ReentrantLockPort(link, channels, '', onError)
    const settings = { clientId, waiterLeaseMs, watchdogLeaseMs: WATCHDOG_MS, clock }
    const port: LockPort & StoreLine = new FairLockPort(link, channels, '', onError, plain, settings)
    return new FairClient(
      clientId,
      port,
      plain,
      async () => {
        channels.close()
        await link.close()
        schedule.clear()
      },
      errors,
    )
  }
}

let names = 0

export function lockName(): string {
  names += 1
  return `fair:${process.pid}:${Date.now()}:${names}`
}
