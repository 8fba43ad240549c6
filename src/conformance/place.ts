import type { VirtualClock } from '../base/time/virtual-clock.js'
import type { Holdfast, HoldfastOptions } from '../index.js'
import { type StoreTraits, traitsOf } from '../port/store-traits.js'
import { Disturbance, disturbedStore } from './disturbed-store.js'
import { eventually } from './eventually.js'
import { clientOf, type KindName } from './kinds.js'
import { Lag } from './lag.js'

let names = 0
const lag = new Lag()

/** What a client is made of: a store, or a Redis client. */
export type Source = ConstructorParameters<typeof Holdfast>[0]

export interface PlaceTerms {
  readonly name: string
  /** What a new client is made of; all lead to the same locks. */
  readonly open: () => Source
  readonly kind?: KindName | undefined
  readonly traits?: Partial<StoreTraits> | undefined
  /** Set where time is virtual. */
  readonly clock?: VirtualClock | undefined
}

/** For how long a case looks again and again: several leases may have to pass, and longer leases take longer. A test has a minute. */
const PATIENCE_MS = 20_000
const LONGEST_PATIENCE_MS = 50_000

/** The shortest leases in the cases: where leases must be longer, all of them are longer in proportion. */
const SHORT_LEASE_MS = 900

/** Where locks are kept, and how time passes there. */
export class Place {
  readonly name: string
  /** The kind of lock that `holdfast().lock(name)` is. */
  readonly kind: KindName
  readonly traits: StoreTraits
  /** Whether time passes only when a test lets it pass, and not while the event loop is blocked. */
  readonly virtual: boolean
  readonly #made: Holdfast[] = []
  /** Measured between cases: within one, equal lengths stay equal. */
  #stretch = 1
  readonly #waitsFor = new WeakMap<Holdfast, Set<string>>()

  constructor(private readonly terms: PlaceTerms) {
    this.name = terms.name
    this.kind = terms.kind ?? 'lock'
    this.traits = traitsOf(terms.traits)
    this.virtual = terms.clock !== undefined
  }

  /** A client of its own on the same store, as another process has one. `tidy` closes it. */
  holdfast(options?: HoldfastOptions): Holdfast {
    return this.#client(this.terms.open(), options)
  }

  /** A client whose way to the store can be disturbed; it has the plain lock alone. */
  disturbed(options?: HoldfastOptions): [Holdfast, Disturbance] {
    const store = this.terms.open()
    if (!('open' in store)) throw new Error(`${this.name} is made of no store`)
    const disturbance = new Disturbance()
    return [this.#client(disturbedStore(store, disturbance), options), disturbance]
  }

  #client(source: Source, options: HoldfastOptions | undefined): Holdfast {
    const holdfast = new (clientOf(this.kind))(source, options)
    this.#made.push(holdfast)
    if (!this.countsWaiters) {
      const waitsFor = new Set<string>()
      holdfast.on('waiting', ({ name, cause }) => cause === undefined && waitsFor.add(name))
      this.#waitsFor.set(holdfast, waitsFor)
    }
    return holdfast
  }

  /** Whether the store knows who waits. */
  get countsWaiters(): boolean {
    return this.traits.countsWaiters && this.kind !== 'spin'
  }

  /** How many clients have said that they wait for a lock, and still have a call under way. */
  countPolling(lockName: string): number {
    return this.#made.filter((made) => made.census.calls > 0 && this.#waitsFor.get(made)?.has(lockName))
      .length
  }

  /** A lock name nobody else uses. */
  lockName(): string {
    names += 1
    return `${this.name}:${process.pid}:${Date.now()}:${names}`
  }

  /** That time, or as much more as it takes to be a lease there, on a machine that is as busy as this one is; longer ones stay longer. */
  lease(ms: number): number {
    const { leastLeaseMs } = this.traits
    return Math.ceil(Math.max(leastLeaseMs, ms * this.#stretch, (ms * leastLeaseMs) / SHORT_LEASE_MS))
  }

  /** So many holds, as another client sees them. */
  visible(holds: number): number {
    return this.traits.countsVisible ? holds : Math.min(holds, 1)
  }

  /** Several locks are taken in the order of this number, then of their names. */
  rankOf(_lockName: string): number {
    return 0
  }

  /** The time there, in milliseconds: only differences mean something. */
  now(): number {
    return this.terms.clock?.now() ?? performance.now()
  }

  /** Lets time pass. In virtual time at once; elsewhere it is waited for, so use it only where time is the subject. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.terms
    if (clock) await clock.advance(ms)
    else await new Promise((resolve) => setTimeout(resolve, ms))
  }

  /** Waits for a condition: in virtual time by letting time pass, elsewhere by looking again and again. */
  async eventually<Value>(
    look: () => Value | Promise<Value>,
    accept: (value: Value) => boolean = Boolean,
  ): Promise<Value> {
    const { clock } = this.terms
    if (!clock)
      return await eventually(look, accept, Math.min(PATIENCE_MS * this.#stretch, LONGEST_PATIENCE_MS))
    for (let step = 0; step < 20_000; step += 1) {
      const value = await look()
      if (accept(value)) return value
      await clock.advance(5)
    }
    throw new Error('not so within 100 seconds of virtual time')
  }

  /** Closes what was made since the last call, and fails if a `Holdfast` has left anything alive. */
  async tidy(): Promise<void> {
    if (!this.virtual) this.#stretch = lag.stretch(SHORT_LEASE_MS)
    const made = this.#made.splice(0)
    await Promise.all(made.map((holdfast) => holdfast.close()))
    for (const { census } of made) {
      const left = Object.entries(census).filter(([, count]) => count > 0)
      if (left.length > 0) throw new Error(`left alive after close: ${JSON.stringify(left)}`)
    }
  }
}
