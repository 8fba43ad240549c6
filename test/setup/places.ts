/** The places a lock can be kept in, each as the tests use it: one shared suite runs over all of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Holdfast, HoldfastOptions, RedisClient, Store } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'
import { quorum } from '../../src/quorum/quorum.js'
import { sqlite } from '../../src/sqlite/index.js'
import { clusterClient, sentinelClient, standaloneClient } from './clients.js'
import { eventually } from './eventually.js'
import { clientOf, type KindName } from './kinds.js'

export const placeNames = [
  'memory',
  'memory-virtual-time',
  'sqlite',
  'standalone',
  'cluster',
  'sentinel',
] as const
export type PlaceName = (typeof placeNames)[number]

/** Three stores that know nothing of each other, joined by `quorum`: only the plain lock is kept there. */
export type QuorumName = 'quorum-virtual-time' | 'quorum-servers'

interface Endpoint {
  readonly host: string
  readonly port: number
}

let names = 0

/** A folder that is removed when the process of the tests ends. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-place-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Where locks are kept, and how time passes there. */
export interface Place {
  readonly name: PlaceName | QuorumName
  /** The kind of lock that `holdfast().lock(name)` is. */
  readonly kind: KindName
  /** Whether there is one server (or cluster) behind it, whose keys can be looked at. */
  readonly server: boolean
  /** Whether time passes only when a test lets it pass, and not while the event loop is blocked. */
  readonly virtual: boolean
  /** Another process's client, in effect: a `Holdfast` of its own on the same store. Ended by `tidy`. */
  holdfast(options?: HoldfastOptions): Holdfast
  /** A lock name nobody else uses. */
  lockName(): string
  /** The time there, in milliseconds: only differences mean something. */
  now(): number
  /** Lets time pass. In virtual time at once; elsewhere it is waited for, so use it only where time is the subject. */
  pass(ms: number): Promise<void>
  /** Waits for a condition: in virtual time by letting time pass, elsewhere by looking again and again. */
  eventually<Value>(look: () => Value | Promise<Value>, accept?: (value: Value) => boolean): Promise<Value>
  /** A client as the application has it, where there is a server; for looking at keys directly. */
  client(): RedisClient
  /** How many clients have said that they wait for a lock, and still have a call under way. */
  countPolling(lockName: string): number
  /** Closes what was made since the last call, and fails if a `Holdfast` has left anything alive. */
  tidy(): Promise<void>
}

class StorePlace implements Place {
  readonly server: boolean
  readonly virtual: boolean
  #made: Holdfast[] = []
  #clients: RedisClient[] = []
  readonly #waitsFor = new WeakMap<Holdfast, Set<string>>()

  constructor(
    readonly name: PlaceName | QuorumName,
    readonly kind: KindName,
    /** A store, or how to reach the server; several of them form a quorum. */
    private readonly store: Store | (() => RedisClient) | ReadonlyArray<() => RedisClient>,
    private readonly clock?: VirtualClock,
  ) {
    this.server = typeof store === 'function'
    this.virtual = clock !== undefined
  }

  holdfast(options?: HoldfastOptions): Holdfast {
    const holdfast = new clientOf[this.kind](this.#storeOrClient(), options)
    this.#made.push(holdfast)
    if (this.kind === 'spin') {
      const waitsFor = new Set<string>()
      holdfast.on('waiting', ({ name }) => waitsFor.add(name))
      this.#waitsFor.set(holdfast, waitsFor)
    }
    return holdfast
  }

  client(): RedisClient {
    if (typeof this.store !== 'function') throw new Error(`${this.name} has no server`)
    return this.#keep(this.store())
  }

  countPolling(lockName: string): number {
    return this.#made.filter((made) => made.census.calls > 0 && this.#waitsFor.get(made)?.has(lockName))
      .length
  }

  lockName(): string {
    names += 1
    return `${this.name}:${process.pid}:${Date.now()}:${names}`
  }

  now(): number {
    return this.clock?.now() ?? performance.now()
  }

  async pass(ms: number): Promise<void> {
    if (this.clock) await this.clock.advance(ms)
    else await new Promise((resolve) => setTimeout(resolve, ms))
  }

  async eventually<Value>(
    look: () => Value | Promise<Value>,
    accept: (value: Value) => boolean = Boolean,
  ): Promise<Value> {
    const { clock } = this
    if (!clock) return await eventually(look, accept)
    for (let step = 0; step < 20_000; step += 1) {
      const value = await look()
      if (accept(value)) return value
      await clock.advance(5)
    }
    throw new Error('not so within 100 seconds of virtual time')
  }

  async tidy(): Promise<void> {
    const made = this.#made.splice(0)
    await Promise.all(made.map((holdfast) => holdfast.close()))
    for (const client of this.#clients.splice(0)) client.disconnect()
    for (const { census } of made) {
      const left = Object.entries(census).filter(([, count]) => count > 0)
      if (left.length > 0) throw new Error(`left alive after close: ${JSON.stringify(left)}`)
    }
  }

  #storeOrClient(): Store | RedisClient {
    const { store } = this
    if (typeof store === 'function') return this.#keep(store())
    return 'open' in store ? store : quorum(store.map((connect) => this.#keep(connect())))
  }

  #keep(client: RedisClient): RedisClient {
    this.#clients.push(client)
    return client
  }
}

/** The place of that name; the servers are those of the run, see setup/servers.ts. */
export function placeOf(name: PlaceName, kind: KindName = 'lock'): Place {
  switch (name) {
    case 'memory':
      return new StorePlace(name, kind, new MemoryStore())
    case 'memory-virtual-time': {
      const clock = new VirtualClock()
      return new StorePlace(name, kind, new MemoryStore(clock), clock)
    }
    case 'sqlite':
      return new StorePlace(name, kind, sqlite(join(folder(), 'locks.db')))
    case 'standalone':
      return new StorePlace(name, kind, () => standaloneClient(inject('servers').standalone))
    case 'cluster':
      return new StorePlace(name, kind, () => clusterClient(inject('servers').cluster.startupNodes))
    case 'sentinel':
      return new StorePlace(name, kind, () => sentinelClient(inject('servers').sentinel))
  }
}

/** Three stores in memory as one, in virtual time. */
export function quorumInMemory(): Place {
  const clock = new VirtualClock()
  const members = [1, 2, 3].map(() => new MemoryStore(clock))
  return new StorePlace('quorum-virtual-time', 'lock', quorum(members), clock)
}

/** Servers as one; where each is, is asked when a client is made, since they may be brought after the place is named. */
export function quorumOf(endpoints: ReadonlyArray<() => Endpoint>): Place {
  const members = endpoints.map((endpoint) => () => {
    const { host, port } = endpoint()
    return standaloneClient({ host, port })
  })
  return new StorePlace('quorum-servers', 'lock', members)
}
