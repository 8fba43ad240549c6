import { Locker } from '../core/locker.js'
import { InvalidArgumentError } from '../errors/errors.js'
import type { Emit, HoldfastEvents } from '../events/events.js'
import type { KindContext } from '../facade/acquirer.js'
import { OpenLocks } from '../facade/open-locks.js'
import type { Settings } from '../facade/options.js'
import type { Owner, Owners } from '../identity/owner.js'
import { Metrics } from '../metrics/metrics.js'
import type { LockPort } from '../ports/lock-port.js'
import { ReplicaCheckedPort } from '../ports/replica-checked.js'
import type { StoreSession } from '../ports/store.js'
import type { Schedule } from '../time/schedule.js'

/** The kinds of locks, by what their ports are called. A read-write lock counts as two. */
const PORTS = {
  lock: (session) => session.lock,
  'fenced lock': (session) => session.fencedLock,
  'fair lock': (session) => session.fairLock,
  'spin lock': (session) => session.spinLock,
  'read lock': (session) => session.readWriteLock?.read,
  'write lock': (session) => session.readWriteLock?.write,
  semaphore: (session) => session.semaphore,
  'permit-expirable semaphore': (session) => session.permitExpirableSemaphore,
  'count-down latch': (session) => session.countDownLatch,
} satisfies Record<string, (session: StoreSession) => LockPort | undefined>

export type Kind = keyof typeof PORTS

/** Kinds whose every acquisition stands for itself. */
const ALONE: ReadonlySet<Kind> = new Set(['semaphore', 'permit-expirable semaphore', 'count-down latch'])

/** Kinds that are one lock in the store, if they have one name. */
const ALIKE: ReadonlySet<Kind> = new Set(['lock', 'fenced lock', 'fair lock', 'spin lock'])

/** The kinds of locks of one client: for each that is used a locker of its own, on one schedule, with metrics in common. */
export class Kinds {
  readonly metrics = new Metrics()
  /** How kinds end that are used for the first time now. */
  #ending: 'drain' | 'close' | undefined
  readonly #terms = new Map<Kind, KindContext>()

  constructor(
    readonly session: StoreSession,
    private readonly schedule: Schedule,
    private readonly settings: Settings,
    private readonly owners: Owners,
    private readonly emit: Emit,
    private readonly hears: (event: keyof HoldfastEvents) => boolean,
  ) {}

  /** What entries of that kind are made of. */
  of(kind: Kind): KindContext {
    return this.#terms.get(kind) ?? this.#begin(kind)
  }

  /** Those in use. */
  get used(): readonly KindContext[] {
    return [...this.#terms.values()]
  }

  /** Begins nothing any more but what running sections need; resolves when nothing is held any more. */
  async drain(): Promise<void> {
    this.#ending = 'drain'
    await Promise.all(this.used.map(({ locker }) => locker.drain()))
  }

  /** Ends all waits, and resolves when what is on its way to the store has settled. */
  async close(): Promise<void> {
    this.#ending = 'close'
    await Promise.all(this.used.map(({ locker }) => locker.close()))
  }

  /** Stops trying to tell the store what it has not answered. */
  giveUp(): void {
    for (const { locker } of this.used) locker.giveUp()
  }

  #begin(kind: Kind): KindContext {
    const port = this.#portOf(kind)
    if (!port) throw new InvalidArgumentError('kind', kind, 'a kind of lock that this store supports')
    const { schedule, settings, metrics, emit, hears } = this
    const newOwner = (): Owner => this.owners.next()
    const locker = new Locker(
      kind,
      { port, schedule, settings, metrics, newOwner, events: { emit, hears } },
      (name, owner, by) => this.#usedByOther(name, owner, by),
    )
    const terms: KindContext = {
      locker,
      owners: this.owners,
      openLocks: new OpenLocks(),
      maxHoldMs: this.settings.maxHoldMs,
      alone: ALONE.has(kind),
    }
    if (ALIKE.has(kind)) this.#introduce(locker)
    this.#terms.set(kind, terms)
    const otherSide = this.#otherSideOf(kind)
    if (otherSide) locker.joinSides(otherSide)
    if (this.#ending) void locker[this.#ending]()
    return terms
  }

  /** Waiting at a latch takes nothing that replicas could miss. */
  #portOf(kind: Kind): LockPort | undefined {
    const { acknowledging } = this.session
    const port = PORTS[kind](this.session)
    const confirming = acknowledging && kind !== 'count-down latch' && PORTS[kind](acknowledging)
    return port && confirming ? new ReplicaCheckedPort(port, confirming) : port
  }

  /** Tells it, and the others that are one lock with it in the store, of each other. */
  #introduce(locker: Locker): void {
    for (const [kind, other] of this.#terms) if (ALIKE.has(kind)) locker.meetRival(other.locker)
  }

  #otherSideOf(kind: Kind): Locker | undefined {
    if (kind === 'read lock') return this.#terms.get('write lock')?.locker
    return kind === 'write lock' ? this.#terms.get('read lock')?.locker : undefined
  }

  /** The two halves of a read-write lock share their keys with nobody else. */
  #isApart(locker: Locker): boolean {
    return this.#terms.get('read lock')?.locker === locker || this.#terms.get('write lock')?.locker === locker
  }

  /**
   * Kinds that share a key in the store must not share an owner there: what one counts as its own hold the other would take for
   * a repeated request. Nested in each other they are to each other as strangers are.
   */
  #usedByOther(name: string, owner: Owner, by: Locker): boolean {
    if (this.#terms.size === 1) return false
    if (this.#isApart(by)) return by.otherSideUses(name, owner)
    for (const { locker } of this.#terms.values()) {
      if (locker !== by && !this.#isApart(locker) && locker.uses(name, owner)) return true
    }
    return false
  }
}
