import type { Owner } from '../../base/identity/owner.js'
import type { AcquireReply } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { LocalQueue } from './local-queue.js'
import type { Policy } from './policy.js'
import { restMs } from './release-watch.js'
import type { Waiter } from './waiter.js'

/**
 * For what several may hold at once, without a line in the store: permits, a latch. No tenure stands in another owner's way, so what is
 * full is known from the store's answers alone. Still one waiter speaks for the process; when it got in and there was room for more,
 * the next one follows.
 */
export class SharedPolicy implements Policy {
  /** Until when, unless the store announces something, it lets in nobody who wants as much as `#fullFor`. */
  #fullUntil = -Infinity
  #fullFor = 1
  /** Whether there is no limit to how many may enter now: then nobody waits for another. */
  #open = false

  constructor(private readonly queue: LocalQueue) {}

  mayAsk(waiter: Waiter, tenure: Tenure | undefined): boolean {
    const { waiters } = this.queue
    if (tenure || waiters.ahead(waiter)) return false
    return this.#open || waiters.contender(undefined) === waiter
  }

  /** An answer to one waiter says nothing about the next, if that wants less. */
  knownUntil(waiter: Waiter): number {
    const { inForce, unread } = this.queue.watch
    const known = inForce && !unread && wantedBy(waiter) >= this.#fullFor
    return known ? this.#fullUntil : -Infinity
  }

  /** Until its answer is there nothing is known: its caller may leave before, and somebody else ask. */
  aboutToAsk(): void {
    this.#fullUntil = -Infinity
  }

  onReply(waiter: Waiter, reply: AcquireReply): void {
    const now = this.queue.clock.now()
    if (reply.outcome === 'busy') {
      this.#open = false
      this.#fullUntil = now + restMs(reply.remainingMs)
      this.#fullFor = wantedBy(waiter)
    } else if (reply.outcome === 'granted') {
      const { room, fullForMs } = reply
      this.#open = room === Infinity
      this.#fullUntil = room === 0 && fullForMs !== undefined ? now + restMs(fullForMs) : -Infinity
      this.#fullFor = 1
    }
  }

  onSignal(): void {
    this.queue.waiters.contender(undefined)?.wake()
  }

  /** The new first waiter must also wake when a lease expires, for the others' sake too. */
  wakeNext(owner: Owner): void {
    const { waiters } = this.queue
    this.queue.wakeOwn(owner)
    if (this.#open) for (const waiter of waiters.all()) waiter.wake()
    else waiters.contender(undefined)?.wake()
  }
}

function wantedBy({ call }: Waiter): number {
  return call.permits ?? 1
}
