import { TooManyWaitersError } from '../../base/errors/errors.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'

/**
 * One more call is to wait. Where as many wait as may, on both sides of a lock that has two, the newest call is refused: this one, unless
 * another that came later waits already, because this one has been asking the store meanwhile.
 */
export function makeRoom({ settings, otherSide }: Environment, queue: LocalQueue, waiter: Waiter): void {
  const { maxWaiters } = settings
  const queues = [queue, otherSide?.queues.get(queue.name)].filter((each) => each !== undefined)
  if (queues.reduce((sum, { waiters }) => sum + waiters.waiting, 0) < maxWaiters) return
  const refusal = new TooManyWaitersError(queue.name, maxWaiters)
  let newest = { waiter, queue }
  for (const each of queues)
    for (const other of each.waiters.all())
      if (other.counts && other.turn > newest.waiter.turn) newest = { waiter: other, queue: each }
  if (newest.waiter === waiter) throw refusal
  newest.waiter.counts = false
  newest.queue.waiters.waiting -= 1
  newest.waiter.cancel(refusal)
}
