import { expect } from 'vitest'
import { type AcquireOptions, type Hold, Holdfast, type HoldfastOptions, type Lock } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { type QuorumOptions, quorum } from '../../src/stores/quorum/quorum.js'
import { WaywardStore } from './wayward-store.js'

/** The lock that tests take. */
export const NAME = 'lock'

/** Servers in memory under one virtual clock, and clients of the quorum they form. */
export class Assembly {
  readonly clock = new VirtualClock()
  readonly servers: readonly WaywardStore[]
  readonly errors: unknown[] = []
  readonly #stores: readonly MemoryStore[]
  readonly #observers: readonly Holdfast[]
  readonly #made: Holdfast[] = []
  readonly #ways: WaywardStore[] = []

  constructor(count: number) {
    this.#stores = Array.from({ length: count }, () => new MemoryStore(this.clock))
    this.#observers = this.#stores.map((store) => new Holdfast(store))
    this.servers = this.#waysTo()
  }

  /** The server with that number. */
  server(index: number): WaywardStore {
    const server = this.servers[index]
    if (!server) throw new Error(`no server ${index}`)
    return server
  }

  /** Another process's client, in effect. */
  holdfast(options: HoldfastOptions = {}, quorumOptions: QuorumOptions = {}): Holdfast {
    return this.#open(this.servers, options, quorumOptions)
  }

  /** A client's handle of {@link NAME}. */
  lock(options: HoldfastOptions = {}, quorumOptions: QuorumOptions = {}): Lock {
    return this.holdfast(options, quorumOptions).lock(NAME)
  }

  /** Held by a client. */
  held(terms: AcquireOptions = {}, lock = this.lock()): Promise<Hold> {
    return this.outcome(lock.acquire(terms))
  }

  /** What comes of a single attempt of another client, and is given back at once: whether it had the lock. */
  async isHad(lock = this.lock()): Promise<boolean> {
    const hold = await this.outcome(lock.tryAcquire())
    if (hold) await this.outcome(hold.release())
    return hold !== null
  }

  /** A client with a network of its own: how each server is reached by it, and by nobody else. */
  apart() {
    const ways = this.#waysTo()
    this.#ways.push(...ways)
    const holdfast = this.#open(ways)
    return { holdfast, lock: holdfast.lock(NAME), ways }
  }

  /** A handle of the lock on one server alone. */
  single(index: number, name = NAME): Lock {
    const store = this.#stores[index]
    if (!store) throw new Error(`no server ${index}`)
    const holdfast = new Holdfast(store)
    this.#made.push(holdfast)
    return holdfast.lock(name)
  }

  /** Who has each server's vote, as the servers have it. */
  async votes(name = NAME): Promise<Array<string | undefined>> {
    const states = await Promise.all(this.#observers.map((observer) => observer.lock(name).inspect()))
    return states.map(({ owners }) => owners[0]?.owner)
  }

  /** All servers are well again. */
  recover(): void {
    for (const server of [...this.servers, ...this.#ways]) server.recover()
  }

  /** What comes of it, when as much time has passed as it takes, but no more than ten minutes. */
  async outcome<Result>(work: Promise<Result>): Promise<Result> {
    let settled = false
    const mark = (): void => {
      settled = true
    }
    work.then(mark, mark)
    for (let step = 0; !settled && step < 60_000; step += 1) await this.clock.advance(10)
    if (!settled) throw new Error('not settled within ten minutes of virtual time')
    return await work
  }

  /** No vote on any server, nothing alive in any client. */
  async nothingLeft(name = NAME): Promise<void> {
    await this.clock.advance(1_000)
    expect(await this.votes(name)).toEqual(this.servers.map(() => undefined))
    for (const { census } of this.#made) {
      expect(Object.entries(census).filter(([, count]) => count > 0)).toEqual([])
    }
  }

  async end(): Promise<void> {
    this.recover()
    await this.outcome(Promise.all([...this.#observers, ...this.#made.splice(0)].map((each) => each.close())))
  }

  #waysTo(): WaywardStore[] {
    return this.#stores.map((store, index) => new WaywardStore(store, `server-${index}`))
  }

  #open(
    servers: readonly WaywardStore[],
    options: HoldfastOptions = {},
    quorumOptions: QuorumOptions = {},
  ): Holdfast {
    const holdfast = new Holdfast(quorum(servers, quorumOptions), options)
    holdfast.on('error', (error) => this.errors.push(error))
    this.#made.push(holdfast)
    return holdfast
  }
}
