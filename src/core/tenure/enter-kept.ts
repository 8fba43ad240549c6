import { noAnswer } from '../../port/failure.js'
import type { Call } from '../acquire/call.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'
import { canPassInMemory, handOverByCommand, handOverInMemory } from './hand-over.js'
import { abandon } from './release.js'
import type { HoldRecord } from './tenure.js'

/** Lets a call enter the lock that has stayed with this process (lingering.ts): a hand-over from nobody. Undefined where the store must hear of it. */
export function enterInMemory(
  env: Environment,
  queue: LocalQueue,
  call: Call,
  now: number,
): HoldRecord | undefined {
  const last = env.lingering.lastOf(queue.name, now)
  if (!last || !canPassInMemory(env, last, call, now)) return undefined
  env.lingering.take(last)
  env.metrics.lingered()
  // Where each owner has a tenure of its own it is found by its owner.
  queue.tenures.ended(last.tenure)
  const grant = handOverInMemory(env, last, call, now)
  queue.tenures.began(last.tenure)
  return grant
}

/** As {@link enterInMemory}, by a command. Settles when the store has answered, or when the call's time is up. */
export async function enterInStore(env: Environment, queue: LocalQueue, waiter: Waiter): Promise<undefined> {
  const { tenures, schedule } = env
  const last = env.lingering.lastOf(queue.name)
  if (!last) return undefined
  const { tenure } = last
  env.lingering.take(last)
  env.metrics.lingered()
  tenure.state = 'releasing'
  tenures.watchdog.unwatch(tenure)
  const passed = handOverByCommand(env, queue, tenure, waiter).then((outcome) => {
    if (outcome === 'lost') tenures.lose(tenure, 'not-in-store', undefined)
    if (outcome === 'unknown') abandon(env, tenure, noAnswer(tenure.name), schedule.clock.now())
  })
  env.lifetime.passing(last, passed)
  await waiter.upTo(waiter.call.waitMs === 0 ? Infinity : waiter.deadline, passed)
  return undefined
}
