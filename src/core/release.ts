import type { ReleaseReply } from '../store.js'
import type { Grant } from './grant.js'
import type { Locker } from './locker.js'
import { isTransient, Outage } from './outage.js'
import type { Tenure } from './tenure.js'

/**
 * Gives one hold back. The last one ends the tenure: the watchdog stops before the release is sent (rule L5), and the answer,
 * not the local clock, decides from then on. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(locker: Locker, grant: Grant): Promise<void> {
  const { tenure } = grant
  await tenure.turns.take()
  try {
    locker.possession.check(tenure)
    if (grant.endedBy) throw grant.endedBy
    const heldBefore = tenure.holds.length
    if (heldBefore === 1) tenure.state = 'releasing'
    else tenure.holds.splice(tenure.holds.indexOf(grant), 1)
    if (heldBefore === 1 || tenure.renewUntil === undefined) locker.possession.watchdog.unwatch(tenure)
    const sending = send(locker, tenure, heldBefore)
    if (heldBefore === 1) locker.giveBack.follow(tenure, sending)
    const reply = await sending
    if (reply === 'not-owner') throw lost(locker, tenure, grant)
    if (heldBefore === 1) locker.possession.end(tenure)
    locker.emit('released', { name: tenure.name, owner: tenure.owner, holdCount: heldBefore - 1 })
  } finally {
    tenure.turns.end()
    locker.possession.lessened(tenure)
  }
}

/** Sends the release until it is answered, the store has failed for too long, or the lease has ended anyway. */
async function send(locker: Locker, tenure: Tenure, heldBefore: number): Promise<ReleaseReply> {
  const { schedule, settings } = locker
  const { name, owner, deadline } = tenure
  const outage = new Outage()
  for (;;) {
    try {
      return await locker.port.release({ name, owner, heldBefore, repeated: outage.on })
    } catch (error) {
      const now = schedule.clock.now()
      outage.failed(error, now)
      const again = outage.retryAt(now)
      if (
        isTransient(error) &&
        !locker.closed &&
        again < deadline &&
        outage.lastedMs(now) < settings.storeTimeoutMs
      ) {
        await new Promise<void>((resolve) => schedule.at(again, resolve))
        continue
      }
      if (heldBefore === 1) {
        locker.possession.end(tenure)
        // Whether the lock is free is unknown. Seeing to that goes on in the background until the lease has ended.
        const request = { name, owner, heldBefore: 0, leaseMs: Math.max(deadline - now, 0) }
        void locker.giveBack.begin(request, Promise.reject(error))
      }
      throw error
    }
  }
}

function lost(locker: Locker, tenure: Tenure, grant: Grant): unknown {
  locker.possession.lose(tenure, 'not-in-store', undefined)
  if (!grant.loss) grant.lost('not-in-store', undefined)
  return grant.loss
}
