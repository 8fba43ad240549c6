import type { ReleaseReply } from '../store.js'
import type { Gate } from './gate.js'
import type { Grant } from './grant.js'
import { heirOf, passOn, passOnInStore, STEP_BACK_MS, staysAsItIs } from './hand-over.js'
import type { Locker } from './locker.js'
import { isTransient, Outage } from './outage.js'
import type { Tenure } from './tenure.js'

/**
 * Gives one hold back. The last one ends the owner's possession: the lock is handed to a call of this process that waits
 * (hand-over.ts), or released in the store; then the watchdog stops before the release is sent (rule L5), and the answer, not
 * the local clock, decides. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(locker: Locker, grant: Grant): Promise<void> {
  const { tenure } = grant
  if (!tenure.turns.tryTake()) await tenure.turns.take()
  let ended = false
  try {
    locker.possession.check(tenure)
    if (grant.endedBy) throw grant.endedBy
    const { owner } = tenure
    const heldBefore = tenure.holds.length
    ended = heldBefore === 1
    if (ended) await releaseLast(locker, tenure, grant)
    else await releaseOne(locker, tenure, grant, heldBefore)
    locker.emit('released', { name: tenure.name, owner, holdCount: heldBefore - 1 })
  } finally {
    tenure.turns.end()
    if (!ended) locker.possession.lessened(tenure)
  }
}

async function releaseOne(locker: Locker, tenure: Tenure, grant: Grant, heldBefore: number): Promise<void> {
  tenure.holds.splice(tenure.holds.indexOf(grant), 1)
  if (tenure.renewUntil === undefined) locker.possession.watchdog.unwatch(tenure)
  if ((await send(locker, tenure, heldBefore, false)) === 'not-owner') throw lost(locker, tenure, grant)
}

async function releaseLast(locker: Locker, tenure: Tenure, grant: Grant): Promise<void> {
  const { possession, giveBack } = locker
  const gate = possession.gateOf(tenure)
  const heir = gate && heirOf(locker, gate, tenure)
  if (heir && staysAsItIs(locker, grant, heir)) return passOn(locker, tenure, grant, heir)
  tenure.state = 'releasing'
  possession.watchdog.unwatch(tenure)
  const passedOn = heir && (await passOnInStore(locker, gate, tenure, heir))
  if (passedOn === 'done') return
  if (passedOn === 'lost') throw lost(locker, tenure, grant)
  const sending = send(locker, tenure, 1, passedOn === 'unknown')
  giveBack.follow(tenure, sending)
  const reply = await sending
  if (reply === 'not-owner') throw lost(locker, tenure, grant)
  if (reply === 'released-to-others') stepBack(locker, gate)
  possession.end(tenure)
}

/** Others wait: they go first, see hand-over.ts. */
function stepBack({ schedule }: Locker, gate: Gate | undefined): void {
  gate?.stepBack(schedule.clock.now() + STEP_BACK_MS)
}

/**
 * Sends the release until it is answered, the store has failed for too long, or the lease has ended anyway.
 *
 * @param repeated whether the lock may have been given away by a command before, whose outcome is unknown.
 */
async function send(
  locker: Locker,
  tenure: Tenure,
  heldBefore: number,
  repeated: boolean,
): Promise<ReleaseReply> {
  const { schedule, settings } = locker
  const { name, storedAs: owner, deadline } = tenure
  const outage = new Outage()
  for (;;) {
    try {
      return await locker.port.release({ name, owner, heldBefore, repeated: repeated || outage.on })
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
