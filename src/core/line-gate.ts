import type { Owner } from '../owner.js'
import type { AcquireReply, LockPort, News, StoreLine } from '../store.js'
import { LineKeeper } from './line-keeper.js'
import type { Schedule } from './schedule.js'
import { SharedGate } from './shared-gate.js'
import type { Tenure } from './tenure.js'
import type { Waiter } from './waiter.js'

/**
 * The gate of a lock whose line of waiters is kept in the store: there each call has a place of its own, so that calls of all
 * processes are served in the order they came. A call asks once to join, once more when the watch is in force (it may have been
 * granted the lock between the two), and then sleeps until it is told that the lock is its own. Calls of one owner take turns.
 */
export class LineGate extends SharedGate {
  /** The waiters that have a place in line, by the owners the store knows them by. */
  readonly #placed = new Map<Owner, Waiter>()
  /** Those of them that have asked with the watch in force: the store will tell them. */
  readonly #resting = new Set<Waiter>()
  /** Owners that were granted the lock while their question was under way: the two may travel on different connections. */
  readonly #early = new Set<Owner>()
  readonly #keeper: LineKeeper

  constructor(name: string, port: LockPort, line: StoreLine, schedule: Schedule) {
    super(name, port, schedule.clock)
    this.#keeper = new LineKeeper(
      name,
      line,
      schedule,
      this.outage,
      () => this.#callAll(),
      () => {
        for (const waiter of this.#placed.values()) waiter.wakeUp.release()
      },
    )
  }

  /** How many calls have a place in line. */
  get placed(): number {
    return this.#placed.size
  }

  /** Where one owner has the lock at a time, a grant disproves every other tenure, except one that is being released. */
  override disprovedBy(granted: Tenure): readonly Tenure[] {
    const own = super.disprovedBy(granted)
    if (this.port.shared) return own
    return this.tenures.filter(
      (other) => other !== granted && (other.state === 'held' || own.includes(other)),
    )
  }

  override speaks(waiter: Waiter, tenure: Tenure | undefined): boolean {
    return !tenure && !this.queue.ahead(waiter)
  }

  override restsUntil(waiter: Waiter): number {
    return this.#resting.has(waiter) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  }

  override answered(waiter: Waiter, reply: AcquireReply, covered: boolean): void {
    const owner = waiter.askedAs
    if (owner === undefined) return
    const grantedMeanwhile = this.#early.delete(owner)
    if (reply.outcome !== 'busy') {
      this.#unplace(waiter)
      return
    }
    if (waiter.call.waitMs === 0) return
    this.#placed.set(owner, waiter)
    if (grantedMeanwhile) waiter.wakeUp.release()
    else if (covered) this.#resting.add(waiter)
    this.#keeper.keep(reply.remainingMs)
  }

  override left(waiter: Waiter): void {
    this.#unplace(waiter)
    this.next(waiter.caller.owner)
  }

  override announce(news?: News): void {
    const owner = news?.grantedTo
    if (owner === undefined) {
      if (this.#placed.size > 0) this.#keeper.look()
      return
    }
    const waiter = this.#placed.get(owner) ?? this.#asking(owner)
    if (!waiter) return
    // With its question under way the answer may be older than this news: then it asks once more.
    if (waiter.attempting) this.#early.add(owner)
    else this.#call(waiter)
  }

  override next(owner?: Owner): void {
    if (owner === undefined) return
    const own = this.tenureMetBy(owner)
    if (own?.state === 'held') this.queue.reentrant(own)?.wakeUp.release()
    else {
      this.queue.firstOf(owner)?.wakeUp.release()
      this.queue.firstWithin(owner)?.wakeUp.release()
    }
  }

  override endWatch(): void {
    super.endWatch()
    // Nobody tells them any more.
    for (const waiter of this.#resting) this.#call(waiter)
  }

  /** The waiter whose first question as that owner is under way. No other grant is worth remembering. */
  #asking(owner: Owner): Waiter | undefined {
    for (const waiter of this.queue.all()) if (waiter.attempting && waiter.askedAs === owner) return waiter
    return undefined
  }

  #callAll(): void {
    for (const waiter of this.#placed.values()) this.#call(waiter)
  }

  #call(waiter: Waiter): void {
    this.#resting.delete(waiter)
    waiter.wakeUp.release()
  }

  #unplace(waiter: Waiter): void {
    this.#resting.delete(waiter)
    if (waiter.askedAs !== undefined) {
      this.#early.delete(waiter.askedAs)
      if (this.#placed.get(waiter.askedAs) === waiter) this.#placed.delete(waiter.askedAs)
    }
    if (this.#placed.size === 0) this.#keeper.rest()
  }
}
