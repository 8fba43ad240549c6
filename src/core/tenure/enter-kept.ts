import { noAnswer } from '../acquire/outage.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'
import { handOverByCommand, handOverInMemory, staysAsItIs } from './hand-over.js'
import { abandon } from './release.js'
import type { Tenure } from './tenure.js'

/**
 * Lets a call enter the lock that has stayed with this process (lingering.ts), if it has: a hand-over from nobody, which the call inherits.
 * Where the store must hear of it, settles when it has, or when the call's time is up.
 */
export function enterKept(
  env: Environment,
  queue: LocalQueue,
  waiter: Waiter,
  deadline: number,
): Promise<undefined> | undefined {
  const last = env.lingering.take(queue.name)
  if (!last) return undefined
  const { tenure } = last
  env.metrics.lingered()
  if (!staysAsItIs(env, last, waiter)) return enterInStore(env, queue, tenure, waiter, deadline)
  // Where each owner has a tenure of its own it is found by its owner.
  queue.tenures.ended(tenure)
  handOverInMemory(env, tenure, last, waiter)
  queue.tenures.began(tenure)
  return undefined
}

async function enterInStore(
  env: Environment,
  queue: LocalQueue,
  tenure: Tenure,
  waiter: Waiter,
  deadline: number,
): Promise<undefined> {
  const { tenures, schedule } = env
  tenure.state = 'releasing'
  tenures.watchdog.unwatch(tenure)
  const passed = handOverByCommand(env, queue, tenure, waiter, () => undefined).then((outcome) => {
    if (outcome === 'lost') tenures.lose(tenure, 'not-in-store', undefined)
    if (outcome === 'unknown') abandon(env, tenure, noAnswer(tenure.name), schedule.clock.now())
  })
  await waiter.upTo(waiter.call.waitMs === 0 ? Infinity : deadline, passed)
  return undefined
}
