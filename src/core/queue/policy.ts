import type { Owner } from '../../base/identity/owner.js'
import type { AcquireReply, News } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { Waiter } from './waiter.js'

/** What differs between the sorts of kinds: which waiter asks the store, what its answer means to the others, and whom to wake. */
export interface Policy {
  /** Whether this waiter may ask the store now. */
  mayAsk(waiter: Waiter, tenure: Tenure | undefined): boolean
  /** Until when a waiter that may ask need not, since the answer is known; in the past when it has to. */
  knownUntil(waiter: Waiter): number
  /** A request is about to be sent. */
  aboutToAsk?(): void
  /** What the store has answered to a waiter's request, which was sent with the watch in force, or not. */
  onReply(waiter: Waiter, reply: AcquireReply, watching: boolean): void
  /** The store has announced something: wakes whoever is to look into it, and nobody else (no thundering herd). */
  onSignal(news?: News): void
  /** Nothing is announced any more. */
  onWatchEnded?(): void
  /** A waiter's call has ended; whose turn it is then is woken. */
  onLeave?(waiter: Waiter): void
  /** A tenure of the process has changed: wakes the waiters whose turn it may be. */
  wakeNext(owner: Owner): void
  /** The waiter of this process to which the lock may be handed over, if any. Absent where the store decides who is next. */
  successor?(): Waiter | undefined
}
