import type { Owner } from '../../identity/owner.js'
import type { AcquireReply, GrantedReply, News } from '../../ports/lock-port.js'
import { restMs } from '../acquire/rest.js'
import type { Tenure } from '../tenure/tenure.js'
import { Gate } from './gate.js'
import type { Waiter } from './waiter.js'

/**
 * The gate of what several may hold at once: permits, a latch. Each owner has a tenure of its own, which stands in nobody
 * else's way, so what is full is known from the store's answers alone. Still one waiter speaks for the process; when it got in
 * and there was room for more, the next one follows.
 */
export class SharedGate extends Gate {
  readonly #tenures = new Map<Owner, Tenure>()
  /** Until when, unless the store announces something, it lets in nobody who wants as much as `#fullFor`. */
  #fullUntil = Number.NEGATIVE_INFINITY
  #fullFor = 1
  /** Whether there is no limit to how many may enter now: then nobody waits for another. */
  #open = false

  override get tenures(): readonly Tenure[] {
    return [...this.#tenures.values()]
  }

  override tenureMetBy(owner: Owner): Tenure | undefined {
    return this.#tenures.get(owner)
  }

  override get held(): boolean {
    return this.#tenures.size > 0
  }

  override began(tenure: Tenure): void {
    this.#tenures.set(tenure.owner, tenure)
  }

  override ended(tenure: Tenure): void {
    if (this.#tenures.get(tenure.owner) === tenure) this.#tenures.delete(tenure.owner)
  }

  override disprovedBy(granted: Tenure): readonly Tenure[] {
    const believed = this.#tenures.get(granted.owner)
    return believed && believed !== granted ? [believed] : []
  }

  override speaks(waiter: Waiter, tenure: Tenure | undefined): boolean {
    if (tenure || this.queue.ahead(waiter)) return false
    return this.#open || this.queue.contender(undefined) === waiter
  }

  /** An answer to one waiter says nothing about the next, if that wants less. */
  override restsUntil(waiter: Waiter): number {
    const known = this.watched && !this.news && wantedBy(waiter) >= this.#fullFor
    return known ? this.#fullUntil : Number.NEGATIVE_INFINITY
  }

  /** Until its answer is there nothing is known: its caller may leave before, and somebody else ask. */
  override looksInto(): void {
    super.looksInto()
    this.#fullUntil = Number.NEGATIVE_INFINITY
  }

  override heir(): undefined {
    return undefined
  }

  override answered(waiter: Waiter, reply: AcquireReply, _covered: boolean): void {
    const now = this.clock.now()
    if (reply.outcome === 'busy') {
      this.#open = false
      this.#fullUntil = now + restMs(reply.remainingMs)
      this.#fullFor = wantedBy(waiter)
    } else if (reply.outcome === 'granted') {
      const { room, fullForMs } = reply
      this.#open = room === Number.POSITIVE_INFINITY
      this.#fullUntil =
        room === 0 && fullForMs !== undefined ? now + restMs(fullForMs) : Number.NEGATIVE_INFINITY
      this.#fullFor = 1
    }
  }

  /** What was announced meanwhile may have been after this; and where there was room for more, the next is to look. */
  override entered({ room }: GrantedReply): void {
    if (room !== undefined && room > 0) this.news = true
  }

  override announce(_news?: News): void {
    this.news = true
    this.queue.contender(undefined)?.wakeUp.release()
  }

  /** Whoever is first in line now looks after the others' sake too: for the end of the lease it must wake by itself. */
  override next(owner?: Owner): void {
    const own = owner === undefined ? undefined : this.#tenures.get(owner)
    if (own?.state === 'held') this.queue.reentrant(own)?.wakeUp.release()
    else if (owner !== undefined) this.queue.firstOf(owner)?.wakeUp.release()
    if (this.#open) for (const waiter of this.queue.all()) waiter.wakeUp.release()
    else this.queue.contender(undefined)?.wakeUp.release()
  }
}

function wantedBy({ call }: Waiter): number {
  return call.permits ?? 1
}
