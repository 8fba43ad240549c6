/**
 * Calls of several clients at random, over a network on which answers, messages and failures overtake each other, in virtual time. While
 * that lasts nobody is inside beside whom the lock excludes; when it is over nobody sleeps beside what is free, and nothing is left.
 */
import { expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { type AcquireOptions, type Hold, Holdfast } from '../../src/index.js'
import type { Store } from '../../src/port/store.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { Random } from '../chaos/program/random.js'
import { closeAll, type End, endOf } from '../unit/in-virtual-time.js'
import { FarRows } from './far-rows.js'
import { farSessions } from './far-sessions.js'
import { type Journey, Network } from './network.js'

const SEEDS = 120
const STEPS = 60
/** All that there is to have of a lock: a write has it, or an exclusive lock. */
const ALL = 1_000

const noAnswer = new StoreError('timeout', 'change', { transient: true })

type Terms = Pick<AcquireOptions, 'waitMs' | 'signal'>
type Held = Pick<Hold, 'signal' | 'release'>

/** What a call asks for. */
interface Wish {
  /** How much it takes of what there is. */
  readonly weight: number
  acquire(terms: Terms): Promise<Held>
  tryAcquire(terms: Terms): Promise<Held | null>
}

interface Kind {
  readonly room: number
  prepare?(holdfast: Holdfast): Promise<unknown>
  /** @param once whether it does not wait: then it may ask for more than there is */
  wish(holdfast: Holdfast, random: Random, once: boolean): Wish
  waiting(holdfast: Holdfast): Promise<number | undefined>
}

type SemaphoreKind = 'semaphore' | 'permitExpirableSemaphore'

const exclusive = (kind: 'lock' | 'fencedLock' | 'fairLock'): Kind => ({
  room: ALL,
  wish: (holdfast) => whole(holdfast[kind]('name')),
  waiting: (holdfast) => holdfast[kind]('name').countWaitingClients(),
})

const permits = (kind: SemaphoreKind): Kind => ({
  room: 3,
  prepare: (holdfast) => holdfast[kind]('name').trySetPermits(3),
  wish: (holdfast, random, once) => {
    const weight = random.whole(1, once ? 5 : 3)
    const semaphore = holdfast[kind]('name')
    return {
      weight,
      acquire: (terms) => semaphore.acquire({ ...terms, permits: weight }),
      tryAcquire: (terms) => semaphore.tryAcquire({ ...terms, permits: weight }),
    }
  },
  waiting: (holdfast) => holdfast[kind]('name').countWaitingClients(),
})

function whole(lock: Omit<Wish, 'weight'>, weight = ALL): Wish {
  return { weight, acquire: (terms) => lock.acquire(terms), tryAcquire: (terms) => lock.tryAcquire(terms) }
}

const kinds: Readonly<Record<string, Kind>> = {
  lock: exclusive('lock'),
  'fenced lock': exclusive('fencedLock'),
  'fair lock': exclusive('fairLock'),
  'read-write lock': {
    room: ALL,
    wish: (holdfast, random) => {
      const lock = holdfast.readWriteLock('name')
      return random.chance(0.5) ? whole(lock.readLock(), 1) : whole(lock.writeLock())
    },
    waiting: (holdfast) => holdfast.readWriteLock('name').writeLock().countWaitingClients(),
  },
  semaphore: permits('semaphore'),
  'permit-expirable semaphore': permits('permitExpirableSemaphore'),
}

/** One call, and what has become of it. */
interface Asked {
  readonly client: number
  readonly weight: number
  readonly leave: AbortController
  readonly outcome: End<Held | null>
  released: boolean
}

class Program {
  readonly #random: Random
  readonly #clock = new VirtualClock()
  readonly #network = new Network(this.#clock)
  readonly #clients: readonly Holdfast[]
  readonly #asked: Asked[] = []
  readonly #releases: End<void>[] = []

  constructor(
    open: (network: Network) => Store,
    private readonly kind: Kind,
    seed: number,
  ) {
    const store = open(this.#network)
    this.#clients = [0, 1, 2].map(() => new Holdfast(store))
    this.#random = new Random(seed)
    for (const client of this.#clients) client.on('error', () => undefined)
  }

  /** What was wrong; undefined if nothing was. */
  async run(): Promise<string | undefined> {
    const [first] = this.#clients
    if (first) await this.kind.prepare?.(first)
    try {
      return (await this.#trouble()) ?? (await this.#calm())
    } finally {
      await closeAll(this.#clock, ...this.#clients)
    }
  }

  async #trouble(): Promise<string | undefined> {
    const random = this.#random
    this.#network.journey = () => this.#journey()
    this.#network.messageMs = () => random.whole(0, 19)
    for (let step = 0; step < STEPS; step += 1) {
      const what = random.whole(0, 11)
      if (what < 6) this.#ask(what >= 4)
      else if (what < 10) this.#release()
      else this.#leave()
      await this.#clock.advance(random.chance(1 / 8) ? random.whole(0, 120) : random.whole(0, 7))
      if (this.#inside > this.kind.room) return `step ${step}: more are inside than may be`
    }
    return undefined
  }

  /** Gives one hold after the other back, until nobody has or wants any more. */
  async #calm(): Promise<string | undefined> {
    this.#network.journey = () => ({ there: 1, back: 1 })
    this.#network.messageMs = () => 1
    await this.#clock.advance(3_000)
    for (let round = 0; this.#waiting.length + this.#held.length > 0; round += 1) {
      if (this.#inside > this.kind.room) return `round ${round}: more are inside than may be`
      const sleeper = this.#sleepers[0]
      if (sleeper) return `round ${round}: client ${sleeper.client} sleeps beside what is free`
      this.#release()
      await this.#clock.advance(300)
    }
    const failed = this.#releases.find(({ error }) => error !== undefined)
    if (failed) return `a release failed: ${failed.error}`
    return await this.#left()
  }

  async #left(): Promise<string | undefined> {
    const [one, other] = this.#clients
    if (!one || !other) return 'there are clients'
    const waiting = endOf(this.#clock, this.kind.waiting(one))
    await this.#clock.advance(10)
    if (waiting.value !== 0) return `${waiting.value} clients are said to wait`
    for (;;) {
      const wish = this.kind.wish(other, this.#random, false)
      if (wish.weight < this.kind.room) continue
      const all = endOf(this.#clock, wish.tryAcquire({}))
      await this.#clock.advance(10)
      return all.value ? undefined : 'something is held still'
    }
  }

  #journey(): Journey {
    const random = this.#random
    const far = random.chance(1 / 3)
    return {
      there: random.whole(0, far ? 39 : 3),
      back: random.whole(0, far ? 79 : 3),
      ...(random.chance(1 / 25) ? { lost: noAnswer } : random.chance(1 / 40) && { refused: noAnswer }),
    }
  }

  #ask(once: boolean): void {
    const random = this.#random
    const client = random.whole(0, this.#clients.length - 1)
    const holdfast = this.#clients[client]
    if (!holdfast) return
    const wish = this.kind.wish(holdfast, random, once)
    const leave = new AbortController()
    const { signal } = leave
    const waitMs = random.chance(1 / 3) ? { waitMs: random.whole(1, 100) } : {}
    const work = once ? wish.tryAcquire({ signal }) : wish.acquire({ signal, ...waitMs })
    const outcome = endOf(this.#clock, work)
    this.#asked.push({ client, weight: wish.weight, leave, outcome, released: false })
    if (once && random.chance(1 / 3)) leave.abort('left')
  }

  #release(): void {
    const held = this.#held
    if (held.length === 0) return
    const asked = this.#random.pick(held)
    asked.released = true
    const { value } = asked.outcome
    if (value) this.#releases.push(endOf(this.#clock, value.release()))
  }

  #leave(): void {
    const waiting = this.#waiting
    if (waiting.length > 0) this.#random.pick(waiting).leave.abort('left')
  }

  get #held(): Asked[] {
    return this.#asked.filter(({ outcome, released }) => outcome.value && !released)
  }

  get #waiting(): Asked[] {
    return this.#asked.filter(({ outcome }) => outcome.at === undefined)
  }

  get #inside(): number {
    return this.#held.reduce((sum, { weight }) => sum + weight, 0)
  }

  /** A call that could have what it waits for, whoever is first in the line: others that could not may stand before one that could. */
  get #sleepers(): Asked[] {
    const waiting = this.#waiting
    const fits = ({ weight }: Asked): boolean => this.#inside + weight <= this.kind.room
    return waiting.every(fits) ? waiting.slice(0, 1) : []
  }
}

const stores: Readonly<Record<string, (network: Network) => Store>> = {
  rows: (network) => new FarRows(network),
  sessions: farSessions,
}
const cases = Object.entries(stores).flatMap(([store, open]) =>
  Object.entries(kinds)
    // With sessions there is no such kind.
    .filter(([kind]) => store === 'rows' || kind !== 'permit-expirable semaphore')
    .map(([name, kind]) => ({ store, open, name, kind })),
)

test.each(cases)(
  'W2, W4: nobody sleeps beside what is free, and nothing is left: $name, $store',
  async ({ open, kind }) => {
    const found: string[] = []
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const wrong = await new Program(open, kind, seed).run()
      if (wrong) found.push(`seed ${seed}: ${wrong}`)
    }
    expect(found).toEqual([])
  },
)
