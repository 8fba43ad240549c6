import type { Owner } from '../../base/identity/owner.js'
import type { AcquireReply, News } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { LocalQueue } from './local-queue.js'
import type { Policy } from './policy.js'
import type { Waiter } from './waiter.js'

/**
 * For a lock in whose line each call has a place of its own, so that calls of all processes are served in the order they came.
 * A call joins with its first question that is asked while the watch is in force, and then sleeps until it is told that the lock is its
 * own. The foremost looks after all of them: it asks again when the holder's lease has ended. Calls of one owner take turns.
 */
export class QueuedPolicy implements Policy {
  /** Who has a place in line, by the owner the store knows it by, in the order in which they came. */
  readonly #placed = new Map<Owner, Waiter>()
  /** Of those, who will be told. */
  readonly #resting = new Set<Waiter>()
  /** Who was granted the lock while its question was under way: the two may travel on different connections. */
  readonly #early = new Set<Owner>()
  /** When the foremost is to look. */
  #lookAt = -Infinity

  constructor(private readonly queue: LocalQueue) {}

  mayAsk(waiter: Waiter, tenure: Tenure | undefined): boolean {
    return !tenure && !this.queue.waiters.ahead(waiter)
  }

  knownUntil(waiter: Waiter): number {
    if (!this.#resting.has(waiter)) return -Infinity
    return this.#foremost === waiter ? this.#lookAt : Infinity
  }

  onReply(waiter: Waiter, reply: AcquireReply, watching: boolean): void {
    const owner = waiter.askedAs
    if (owner === undefined) return
    const grantedMeanwhile = this.#early.delete(owner)
    if (reply.outcome !== 'busy') {
      this.#unplace(waiter)
      return
    }
    if (waiter.call.waitMs === 0 || !watching) return
    this.#placed.set(owner, waiter)
    const { watch, clock } = this.queue
    // A message that came while the request was under way may be newer than the answer.
    this.#lookAt = watch.unread ? -Infinity : clock.now() + (reply.againMs ?? reply.remainingMs)
    // A waiter that asked again may have rested on an earlier answer.
    if (grantedMeanwhile) this.#call(waiter)
    else this.#resting.add(waiter)
  }

  onSignal({ grantedTo, lookInMs, placesGone }: News = {}): void {
    if (placesGone) for (const waiter of this.#placed.values()) this.#call(waiter)
    if (grantedTo === undefined) {
      this.#lookAt =
        lookInMs === undefined ? -Infinity : Math.min(this.#lookAt, this.queue.clock.now() + lookInMs)
      this.#foremost?.wake()
      return
    }
    // Who asks for the first time has no place yet. Nobody else's grant is worth remembering.
    const waiter = this.#placed.get(grantedTo) ?? this.queue.waiters.askingAs(grantedTo)
    if (!waiter) return
    // With its question under way the answer may be older than this news: then it asks once more.
    if (waiter.attempting) this.#early.add(grantedTo)
    else this.#call(waiter)
  }

  /** Nobody tells them any more. */
  onWatchEnded(): void {
    for (const waiter of this.#resting) this.#call(waiter)
  }

  onLeave(waiter: Waiter): void {
    this.#unplace(waiter)
  }

  wakeNext(owner: Owner): void {
    this.queue.wakeOwn(owner)
  }

  get #foremost(): Waiter | undefined {
    const [first] = this.#placed.values()
    return first
  }

  #call(waiter: Waiter): void {
    this.#resting.delete(waiter)
    waiter.wake()
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
    if (foremost) this.#foremost?.wake()
  }
}
