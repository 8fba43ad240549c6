import type { Owner } from '../../identity/owner.js'
import type { AcquireReply, News } from '../../ports/store.js'
import type { Tenure } from '../tenure/tenure.js'
import { SharedGate } from './shared-gate.js'
import type { Waiter } from './waiter.js'

/**
 * The gate of a lock in whose line each call has a place of its own, so that calls of all processes are served in the order they came.
 * A call joins with its first question that is asked while the watch is in force, and then sleeps until it is told that the lock is its
 * own. The foremost looks after all of them: it asks again when the holder's lease has ended. Calls of one owner take turns.
 */
export class LineGate extends SharedGate {
  /** Who has a place in line, by the owner the store knows it by, in the order in which they came. */
  readonly #placed = new Map<Owner, Waiter>()
  /** Of those, who will be told. */
  readonly #resting = new Set<Waiter>()
  /** Who was granted the lock while its question was under way: the two may travel on different connections. */
  readonly #early = new Set<Owner>()
  /** When the foremost is to look. */
  #lookAt = Number.NEGATIVE_INFINITY

  /** How many calls have a place in line. */
  get placed(): number {
    return this.#placed.size
  }

  /** Where one owner has it at a time, whoever else was believed to have it has lost it. One who is giving it back makes room. */
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
    if (!this.#resting.has(waiter)) return Number.NEGATIVE_INFINITY
    return this.#foremost === waiter ? this.#lookAt : Number.POSITIVE_INFINITY
  }

  override answered(waiter: Waiter, reply: AcquireReply, covered: boolean): void {
    const owner = waiter.askedAs
    if (owner === undefined) return
    const grantedMeanwhile = this.#early.delete(owner)
    if (reply.outcome !== 'busy') {
      this.#unplace(waiter)
      return
    }
    if (waiter.call.waitMs === 0 || !covered) return
    this.#placed.set(owner, waiter)
    this.#lookAt = this.clock.now() + (reply.againMs ?? reply.remainingMs)
    // It may have asked again after a rest, which is over.
    if (grantedMeanwhile) this.#call(waiter)
    else this.#resting.add(waiter)
  }

  override left(waiter: Waiter): void {
    this.#unplace(waiter)
    this.next(waiter.caller.owner)
  }

  override takeDeserted(): undefined {
    return undefined
  }

  override announce({ grantedTo, lookInMs, placesGone }: News = {}): void {
    if (placesGone) this.#callAll()
    if (grantedTo === undefined) {
      this.#lookAt =
        lookInMs === undefined
          ? Number.NEGATIVE_INFINITY
          : Math.min(this.#lookAt, this.clock.now() + lookInMs)
      this.#foremost?.wakeUp.release()
      return
    }
    const waiter = this.#placed.get(grantedTo) ?? this.#asking(grantedTo)
    if (!waiter) return
    // With its question under way the answer may be older than this news: then it asks once more.
    if (waiter.attempting) this.#early.add(grantedTo)
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

  get #foremost(): Waiter | undefined {
    const [first] = this.#placed.values()
    return first
  }

  /** Who asks as that owner for the first time. Nobody else's grant is worth remembering. */
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
    const owner = waiter.askedAs
    if (owner === undefined) return
    this.#early.delete(owner)
    if (this.#placed.get(owner) !== waiter) return
    const foremost = this.#foremost === waiter
    this.#placed.delete(owner)
    // It looks after the rest from now on.
    if (foremost) this.#foremost?.wakeUp.release()
  }
}
