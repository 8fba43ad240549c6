import type { Owner } from '../owner.js'
import type { ReleaseReply } from '../store.js'
import type { ReleaseResult } from '../trace/release.js'
import type { Grant } from './grant.js'
import { heirOf, passOn, passOnInStore, staysAsItIs } from './hand-over.js'
import type { Locker } from './locker.js'
import { isTransient, Outage } from './outage.js'
import type { Tenure } from './tenure.js'

/**
 * The release that needs no command: the owner's last hold, under the watchdog, with a call of this process to hand the lock to
 * (hand-over.ts). False when it is not that, and nothing was done.
 */
export function releaseInMemory(locker: Locker, grant: Grant): boolean {
  const { tenure } = grant
  const { possession } = locker
  if (tenure.holds.length !== 1 || !tenure.turns.free || !possession.check(tenure) || grant.endedBy)
    return false
  const gate = possession.gateOf(tenure)
  const heir = gate && heirOf(locker, gate, tenure)
  if (!heir || !staysAsItIs(locker, grant, heir)) return false
  const { owner } = tenure
  possession.holdEnded(grant)
  passOn(locker, tenure, grant, heir)
  locker.metrics.handedOverInMemory()
  released(locker, tenure, owner, 0)
  return true
}

/**
 * Gives one hold back by a command. The owner's last one ends its possession: the lock is handed to a call of this process that
 * waits (hand-over.ts), or released in the store; then the watchdog stops before the release is sent (rule L5), and the answer,
 * not the local clock, decides. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(locker: Locker, grant: Grant): Promise<ReleaseResult> {
  const { tenure } = grant
  const { possession } = locker
  let ended = false
  try {
    if (!tenure.turns.tryTake()) await tenure.turns.take()
    try {
      possession.check(tenure)
      if (grant.endedBy) throw grant.endedBy
      possession.holdEnded(grant)
      ended = tenure.holds.length === 1
      return ended ? await releaseLast(locker, tenure, grant) : await releaseOne(locker, tenure, grant)
    } finally {
      tenure.turns.end()
      if (!ended) possession.lessened(tenure)
    }
  } finally {
    locker.gaveBack(grant)
  }
}

function released(locker: Locker, { name }: Tenure, owner: Owner, holdCount: number): void {
  locker.metrics.released()
  if (locker.hears('released')) locker.emit('released', { name, owner, holdCount })
}

async function releaseOne(locker: Locker, tenure: Tenure, grant: Grant): Promise<ReleaseResult> {
  const holdCount = tenure.holds.length - 1
  tenure.holds.splice(tenure.holds.indexOf(grant), 1)
  if (tenure.renewUntil === undefined) locker.possession.watchdog.unwatch(tenure)
  if ((await send(locker, tenure, holdCount + 1, false)) === 'not-owner') throw lost(locker, tenure, grant)
  released(locker, tenure, tenure.owner, holdCount)
  return { holdCount, handedOver: false }
}

async function releaseLast(locker: Locker, tenure: Tenure, grant: Grant): Promise<ReleaseResult> {
  const { possession, giveBack } = locker
  const gate = possession.gateOf(tenure)
  const heir = gate && heirOf(locker, gate, tenure)
  tenure.state = 'releasing'
  possession.watchdog.unwatch(tenure)
  const onDone = (): void => {
    locker.metrics.handedOverByCommand()
    released(locker, tenure, tenure.owner, 0)
  }
  const passedOn = heir && (await passOnInStore(locker, gate, tenure, heir, onDone))
  if (passedOn === 'done') return { holdCount: 0, handedOver: true }
  if (passedOn === 'lost') throw lost(locker, tenure, grant)
  gate?.expectOwnNews()
  const sending = send(locker, tenure, 1, passedOn === 'unknown')
  giveBack.follow(tenure, sending)
  const reply = await sending
  if (reply === 'not-owner') throw lost(locker, tenure, grant)
  if (typeof reply === 'object') gate?.stepBack(reply.others)
  else gate?.stepForward()
  possession.end(tenure)
  released(locker, tenure, tenure.owner, 0)
  return { holdCount: 0, handedOver: false }
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
