import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'

/** A wait for oneself looks like any other wait: only its length gives it away. */
export function warnOfLongWait(
  env: Environment,
  queue: LocalQueue,
  waiter: Waiter,
  waiterStack: string | undefined,
): void {
  const { name } = queue
  const holder = queue.tenures.all.find(({ state }) => state === 'held')
  if (!holder) return
  const waitedMs = env.schedule.clock.now() - waiter.startedAt
  env.events.emit('warning', {
    code: 'LONG_LOCAL_WAIT',
    name,
    owner: waiter.caller.owner,
    holder: holder.owner,
    waitedMs,
    message:
      `A call has waited ${Math.round(waitedMs)} ms for lock "${name}", which this process itself holds as ` +
      `${holder.owner}. If the waiting code runs inside the guarded section, it waits for itself: nest with withLock() or ` +
      'holdfast.run(), or pass the same { owner }.',
    waiterStack,
    holderStack: holder.takenAt,
  })
}
