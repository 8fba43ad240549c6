import type { Environment } from '../environment.js'
import { TIME_IS_UP, type Waiter } from '../queue/waiter.js'
import type { HoldRecord, Tenure } from '../tenure/tenure.js'
import type { Attempt } from './attempt.js'
import { noAnswer } from './outage.js'

/**
 * A nested acquisition, when the tenure's commands before it are through. Undefined when it was not granted.
 * @param added the tenure that gets the hold: the outer one, or a new one on the other side of the lock
 */
export async function reenter(
  env: Environment,
  attempt: Attempt,
  waiter: Waiter,
  tenure: Tenure,
  deadline: number,
  added: () => Tenure = () => tenure,
): Promise<HoldRecord | undefined> {
  if (!(await takeTurn(env, attempt, waiter, tenure, deadline))) return undefined
  try {
    // Who went before may have changed what is on top, lost the lock, or handed it on.
    if (tenure.state !== 'held' || !tenure.admits(waiter.caller)) return undefined
    return await attempt.send(added())
  } finally {
    // What it may have counted up without knowing is counted down in the background: a release names the count it goes to, so
    // that whatever was counted beside it goes with the hold below.
    tenure.turns.end()
  }
}

/** False when the turn did not come in time; one that comes later is passed on. */
async function takeTurn(
  env: Environment,
  attempt: Attempt,
  waiter: Waiter,
  tenure: Tenure,
  deadline: number,
): Promise<boolean> {
  const turn = tenure.turns.take()
  const once = waiter.call.waitMs === 0
  const patience = waiter.startedAt + env.settings.storeTimeoutMs
  let taken = false
  try {
    taken = (await waiter.upTo(once ? patience : deadline, turn)) !== TIME_IS_UP
    // A turn is held up by nothing but a store that does not answer.
    if (!taken && once) attempt.outage.failed(noAnswer(tenure.name), env.schedule.clock.now())
    return taken
  } finally {
    if (!taken) void turn.then(() => tenure.turns.end())
  }
}
