import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import type { AcquireReply, News } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { HeldTenures } from './held-tenures.js'
import type { ProcessPlace } from './process-place.js'
import type { ReleaseWatch, WatchListener } from './release-watch.js'
import type { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'

/** What a policy decides on: the calls of this process for one lock, its tenures of it, and what is heard of it. */
export interface QueueParts {
  readonly waiters: WaitQueue
  readonly tenures: HeldTenures
  readonly watch: ReleaseWatch
  /** The process's place in line, if it has one. */
  place: ProcessPlace | undefined
  /** Whether the store keeps a line at the moment. */
  readonly keepsLine: boolean
  readonly clock: Pick<Clock, 'now'>
  /** What was asked as that owner is unknown, or given back: nobody else is to ask as it. Tells whether it was the process's place. */
  forgetPlace(owner: Owner): boolean
  /** Nobody will enter by that place. */
  leavePlace(owner: Owner): void
}

/** Wakes whoever of that owner may go on: within its tenure, or else the first in its line on each side of the lock. */
export function wakeOwn({ waiters, tenures }: QueueParts, owner: Owner): void {
  const own = tenures.metBy(owner)
  if (own?.state === 'held') {
    waiters.reentrant(own)?.wake()
    return
  }
  waiters.firstOf(owner)?.wake()
  waiters.firstOf(owner, true)?.wake()
}

/** What differs between the sorts of kinds: which waiter asks the store, what its answer means to the others, and whom to wake. */
export interface Policy extends WatchListener {
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
  /** A waiter's call has ended; whose turn it is then is woken. */
  onLeave?(waiter: Waiter): void
  /** A tenure of the process has changed: wakes the waiters whose turn it may be. */
  wakeNext(owner: Owner): void
  /** The waiter of this process to which the lock may be handed over, if any. Absent where the store decides who is next. */
  successor?(): Waiter | undefined
}
