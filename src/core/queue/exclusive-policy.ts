import type { AcquireReply, News } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { LocalQueue } from './local-queue.js'
import type { Policy } from './policy.js'
import type { Waiter } from './waiter.js'

/**
 * For a lock that one owner has at a time, and that changes hands within the process: one of the process's waiters speaks to the
 * store for all, and where the store keeps a line, has the process's place there.
 */
export class ExclusivePolicy implements Policy {
  constructor(private readonly queue: LocalQueue) {}

  mayAsk(waiter: Waiter, tenure: Tenure | undefined): boolean {
    return this.queue.waiters.contender(tenure) === waiter
  }

  knownUntil(): number {
    return this.queue.place?.restsUntil ?? -Infinity
  }

  /**
   * A store may keep a line no more: the process found a pooler, or a full queue of messages. Then too a place is gone once its owner has
   * the lock: to leave it would give back what it has.
   */
  onReply({ askedAs: owner, call }: Waiter, reply: AcquireReply, watching: boolean): void {
    const { queue } = this
    const { place, watch, clock } = queue
    // Whatever was announced before, it was before this.
    if (reply.outcome === 'granted') watch.read()
    if (owner === undefined) return
    if (reply.outcome !== 'busy') {
      queue.forgetPlace(owner)
    } else if (queue.keepsLine && watching && call.waitMs > 0) {
      // What was announced while the question was under way may be newer than its answer.
      const restsUntil = watch.unread ? -Infinity : clock.now() + (reply.againMs ?? reply.remainingMs)
      if (!place || place.owner === owner) {
        queue.place = { owner, restsUntil }
      } else {
        // Two asked at the same time, each for itself: the later place is one too many.
        place.restsUntil = Math.min(place.restsUntil, restsUntil)
        queue.leavePlace(owner)
      }
    }
  }

  onSignal(news?: News): void {
    const { place, clock } = this.queue
    const until = news?.lookInMs === undefined ? -Infinity : clock.now() + news.lookInMs
    if (place) place.restsUntil = Math.min(place.restsUntil, until)
    this.queue.waiters.contender(this.queue.tenures.any)?.wake()
  }

  wakeNext(): void {
    const { waiters } = this.queue
    const holder = this.queue.tenures.any
    if (holder?.state === 'held') {
      const waiter = waiters.admittedBy(holder)[0]
      if (waiter) {
        waiter.wake()
        return
      }
      // Nothing is left to do for the next in line: it hears of this tenure's end without a command.
      const { watch } = this.queue
      if (watch.inForce && !watch.unread) return
    }
    waiters.contender(holder)?.wake()
  }

  successor(): Waiter | undefined {
    return this.queue.waiters.successor()
  }
}
