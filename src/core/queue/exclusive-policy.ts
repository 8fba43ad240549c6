import type { AcquireReply, News } from '../../port/lock-port.js'
import type { Tenure } from '../tenure/tenure.js'
import type { Policy, QueueParts } from './policy.js'
import type { Waiter } from './waiter.js'

/**
 * For a lock that one owner has at a time, and that changes hands within the process: one of the process's waiters speaks to the
 * store for all, and where the store keeps a line, has the process's place there.
 */
export class ExclusivePolicy implements Policy {
  constructor(private readonly queue: QueueParts) {}

  mayAsk(waiter: Waiter, tenure: Tenure | undefined): boolean {
    return this.queue.waiters.contender(tenure) === waiter
  }

  knownUntil(): number {
    return this.queue.place.restsUntil
  }

  onReply(waiter: Waiter, reply: AcquireReply, watching: boolean): void {
    const { place, watch } = this.queue
    // Whatever was announced before, it was before this.
    if (reply.outcome === 'granted') watch.read()
    place.onReply(waiter, reply, watching, watch.unread)
  }

  onSignal(news?: News): void {
    this.queue.place.onSignal(news)
    this.queue.waiters.contender(this.#tenure)?.wakeUp.release()
  }

  onLeave(): void {
    this.wakeNext()
  }

  wakeNext(): void {
    const { waiters } = this.queue
    const holder = this.#tenure
    if (holder?.state === 'held') {
      const waiter = waiters.reentrant(holder)
      if (waiter) {
        waiter.wakeUp.release()
        return
      }
      // Nothing is left to do for the next in line: it hears of this tenure's end without a command.
      const { watch } = this.queue
      if (watch.inForce && !watch.unread) return
    }
    waiters.contender(holder)?.wakeUp.release()
  }

  successor(): Waiter | undefined {
    return this.queue.waiters.successor()
  }

  get #tenure(): Tenure | undefined {
    return this.queue.tenures.any
  }
}
