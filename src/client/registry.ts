import { UnsupportedKindError } from '../base/errors/unsupported-kind-error.js'
import type { Owners } from '../base/identity/owner.js'
import type { Schedule } from '../base/time/schedule.js'
import { Locker } from '../core/locker.js'
import type { KindTraits } from '../core/queue/local-queue.js'
import type { Waiter } from '../core/queue/waiter.js'
import type { KindContext } from '../kinds/acquiring/acquirer.js'
import { lastingHolds } from '../kinds/acquiring/dropped-hold.js'
import { OpenLocks } from '../kinds/acquiring/open-locks.js'
import type { Kind } from '../kinds/kinds.js'
import type { Events } from '../observe/events/events.js'
import { Metrics } from '../observe/metrics/metrics.js'
import { keptIn, type StoreLoss, type StoreSession } from '../port/store.js'
import type { ClientSettings } from './client-options.js'

/** Looks after the calls of one client that wait. */
export interface WaitObserver {
  /** A call of that kind waits. Returns what is to be called when it does no longer. */
  waits(kind: Kind, waiter: Waiter): (() => void) | undefined
  /** Resolves when nothing is left of those that have ended. */
  close(): Promise<void>
}

/** The kinds of locks that one client uses: a locker for each, on one schedule, with metrics in common. */
export class Kinds {
  readonly metrics = new Metrics()
  /** Called when the client begins to end: to drain, and to close. */
  readonly atEnd = new Set<() => void>()
  /** Set in clients that look for deadlocks. */
  observer: WaitObserver | undefined
  /** How kinds end that are used for the first time now. */
  #ending: 'drain' | 'close' | undefined
  readonly #contexts = new Map<Kind, KindContext>()

  constructor(
    readonly session: StoreSession,
    readonly owners: Owners,
    readonly schedule: Schedule,
    private readonly settings: ClientSettings,
    readonly events: Events,
  ) {}

  /** What handles of that kind are made of. */
  of(kind: Kind): KindContext {
    return this.#contexts.get(kind) ?? this.#begin(kind)
  }

  /** Those in use. */
  get used(): readonly KindContext[] {
    return [...this.#contexts.values()]
  }

  /** The store has let go of a lock of this client. */
  lost(loss: StoreLoss): void {
    for (const { kind, locker } of this.used)
      if (kind.keyspace === loss.keyspace) locker.tenures.lostInStore(loss)
  }

  /** The store is out of reach, and what is held may be lost. */
  suspended(cause: unknown): void {
    for (const { locker } of this.used) locker.tenures.watchdog.suspend(cause)
  }

  /** Begins nothing any more but what running sections need; resolves when nothing is held any more. */
  async drain(): Promise<void> {
    this.#ending = 'drain'
    for (const end of [...this.atEnd]) end()
    await Promise.all(this.used.map(({ locker }) => locker.lifetime.drain()))
  }

  /** Ends all waits, and resolves when what is on its way to the store has settled. */
  async close(): Promise<void> {
    this.#ending = 'close'
    const closing = this.used.map(({ locker }) => locker.lifetime.close())
    for (const end of [...this.atEnd]) end()
    await Promise.all(closing)
    await this.observer?.close()
  }

  /** Stops trying to tell the store what it has not answered. */
  giveUp(): void {
    for (const { locker } of this.used) locker.orphans.giveUp()
  }

  /** Waits for nothing any more; resolves when nobody does. */
  async end(): Promise<void> {
    await Promise.all(this.used.map(({ locker }) => locker.lifetime.end()))
  }

  #begin(kind: Kind): KindContext {
    const { session, schedule, settings, metrics, owners, events } = this
    const port =
      kind.kept !== false && session.confirming ? session.confirming(kind.port) : kind.port(session)
    if (!port) throw new UnsupportedKindError(kind.name, keptIn(session))
    const policy = kind.policyPerCall ?? kind.policy
    const traits: KindTraits = port.placePer ? { ...kind, placePer: port.placePer, policy } : kind
    const locker = new Locker({
      kind: traits,
      port,
      schedule,
      settings,
      metrics,
      newOwner: () => owners.next(),
      events,
      onLasting: (grant, hold) => lastingHolds.register(hold, { grant, locker }),
      onWait: (waiter) => this.observer?.waits(kind, waiter),
    })
    const context: KindContext = {
      kind,
      locker,
      owners,
      openLocks: new OpenLocks(),
      maxHoldMs: settings.maxHoldMs,
      placeOf: (name) => session.lock.together?.placeOf(name) ?? 0,
      lingerMs: port.line?.hearAsks ? settings.lingerMs : undefined,
    }
    this.#contexts.set(kind, context)
    this.#introduce(kind)
    if (this.#ending) void locker.lifetime[this.#ending]()
    return context
  }

  /** Kinds of one keyspace are one lock in the store: each is told of the others. */
  #introduce(kind: Kind): void {
    const all = this.used.filter((each) => each.kind.keyspace === kind.keyspace)
    const meet = all.find((each) => each.kind.meet)?.kind.meet
    const lockers = all.map(({ locker }) => locker)
    for (const locker of lockers) {
      const others = lockers.filter((other) => other !== locker)
      meet?.(locker, others)
    }
  }
}
