/** Permits and latches at their ports, without the wait loop: what a store promises by itself, in each place they are kept. */
import { inject } from 'vitest'
import { type Clock, SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type {
  CountDownLatchPort,
  PermitExpirableSemaphorePort,
  SemaphorePort,
} from '../../src/port/kind-ports.js'
import type { LockPort, News } from '../../src/port/lock-port.js'
import type { Store, StoreSession } from '../../src/port/store.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import type { RedisClient } from '../../src/stores/redis/connection/client.js'
import { redisStoreOf } from '../../src/stores/redis/store.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

/** One client's ports. */
export interface Ports {
  readonly semaphore: SemaphorePort
  readonly permits: PermitExpirableSemaphorePort
  readonly latch: CountDownLatchPort
}

let names = 0

export class PortPlace {
  readonly #ends: Array<() => Promise<void>> = []
  readonly #clock: VirtualClock | undefined
  #bystander: RedisClient | undefined

  private constructor(
    readonly name: string,
    private readonly store: Store,
    private readonly connect: (() => RedisClient) | undefined,
  ) {
    this.#clock = store.clock instanceof VirtualClock ? store.clock : undefined
  }

  static memory(): PortPlace {
    return new PortPlace('memory', new MemoryStore(new VirtualClock()), undefined)
  }

  static standalone(keyPrefix = ''): PortPlace {
    return PortPlace.#redis('standalone', () =>
      standaloneClient({ ...inject('servers').standalone, keyPrefix }),
    )
  }

  static cluster(): PortPlace {
    return PortPlace.#redis('cluster', () => clusterClient(inject('servers').cluster.startupNodes))
  }

  static #redis(name: string, connect: () => RedisClient): PortPlace {
    return new PortPlace(name, { open: (settings) => redisStoreOf(connect()).open(settings) }, connect)
  }

  get server(): boolean {
    return this.connect !== undefined
  }

  /** Another process's client, in effect. */
  ports(): Ports {
    const clock: Clock = this.store.clock ?? new SystemClock()
    const schedule = new Schedule(clock, report)
    const session: StoreSession = this.store.open({
      schedule,
      clientId: crypto.randomUUID(),
      watchdogLeaseMs: 30_000,
      quarantineMs: 0,
      fenceRetentionMs: undefined,
      commandTimeoutMs: 5_000,
      onError: report,
    })
    this.#ends.push(async () => {
      await session.close()
      schedule.clear()
    })
    const { semaphore, permitExpirableSemaphore: permits, countDownLatch: latch } = session
    if (!semaphore || !permits || !latch) throw new Error(`${this.name} lacks a kind`)
    return { semaphore, permits, latch }
  }

  lockName(): string {
    names += 1
    return `permits:${process.pid}:${Date.now()}:${names}`
  }

  /** Lets leases of that length end where they are kept. */
  async pass(ms: number): Promise<void> {
    if (this.#clock) return await this.#clock.advance(ms)
    const until = (await this.timeMs()) + ms
    await eventually(
      () => this.timeMs(),
      (now) => now > until,
    )
  }

  async timeMs(): Promise<number> {
    const time = await this.ask('TIME')
    const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : []
    return (seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000
  }

  /** Asks the server as a bystander; in a cluster the command is routed by its first argument. */
  async ask(command: string, ...args: Array<string | number>): Promise<unknown> {
    if (!this.connect) throw new Error(`${this.name} has no server`)
    this.#bystander ??= this.connect()
    return await this.#bystander.call(command, ...args)
  }

  /** What a watch tells from now on. */
  async hear(port: LockPort, name: string) {
    const heard: Array<News | undefined> = []
    const watch = port.watch(name, (news) => heard.push(news))
    this.#ends.push(async () => watch.close())
    await watch.confirmed
    return heard
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
    this.#bystander?.disconnect()
    this.#bystander = undefined
  }
}

function report(error: unknown): void {
  throw error
}
