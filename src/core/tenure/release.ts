import type { Owner } from '../../identity/owner.js'
import type { ReleaseReply, ReleaseRequest } from '../../ports/lock-port.js'
import { isTransient, Outage } from '../acquire/outage.js'
import type { Locker } from '../locker.js'
import { heirOf, passOn, passOnInStore, staysAsItIs } from './hand-over.js'
import type { HoldRecord } from './hold-record.js'
import type { Tenure } from './tenure.js'

/**
 * The release that needs no command: the owner's last hold, under the watchdog, with a call of this process to hand the lock to
 * (hand-over.ts). False when it is not that, and nothing was done.
 */
export function releaseInMemory(locker: Locker, grant: HoldRecord): boolean {
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
  grant.passedOn = true
  locker.metrics.handedOverInMemory()
  released(locker, tenure, owner, 0)
  return true
}

/**
 * Gives one hold back by a command. The owner's last one ends its possession: the lock is handed to a call of this process that
 * waits (hand-over.ts), or released in the store; then the watchdog stops before the release is sent (rule L5), and the answer,
 * not the local clock, decides. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(locker: Locker, grant: HoldRecord): Promise<void> {
  const { tenure } = grant
  const { possession } = locker
  let ended = false
  let turn = false
  try {
    turn = tenure.turns.tryTake()
    if (!turn) {
      // A release waits for no nested acquisition that only waits for its own turn: each may take as long as a command.
      await tenure.turns.takeFirst()
      turn = true
    }
    possession.check(tenure)
    if (grant.endedBy) throw grant.endedBy
    possession.holdEnded(grant)
    ended = tenure.holds.length === 1
    const passedOn = ended ? endPossession(locker, tenure, grant) : endHold(locker, tenure, grant)
    const outcome = passedOn && (await passedOn)
    if (outcome === 'done') return
    if (outcome === 'lost') throw lost(locker, tenure, grant)
    const request = releaseOf(tenure, grant, outcome === 'unknown')
    if (ended) tenure.releasing = grant
    let reply: ReleaseReply
    try {
      reply = await locker.port.release(request)
    } catch (error) {
      reply = await sendAgain(locker, tenure, request, error)
    }
    tenure.releasing = undefined
    if (reply === 'not-owner') throw lost(locker, tenure, grant)
    if (ended) {
      possession.gateOf(tenure)?.stepAside(typeof reply === 'object' ? reply.others : 0)
      possession.end(tenure)
    }
    released(locker, tenure, tenure.owner, grant.holdsLeft)
  } finally {
    if (turn) tenure.turns.end()
    if (!ended) {
      possession.lessened(tenure)
      locker.letIn(tenure)
    }
    locker.gaveBack(grant)
  }
}

/** One hold less, others stay. */
function endHold({ possession }: Locker, tenure: Tenure, grant: HoldRecord): undefined {
  grant.holdsLeft = tenure.holds.length - 1
  tenure.holds.splice(tenure.holds.indexOf(grant), 1)
  if (tenure.renewUntil === undefined) possession.watchdog.unwatch(tenure)
}

/** The owner's last hold: the lock goes to a call of this process if one may have it; what comes of that is returned. */
function endPossession(
  locker: Locker,
  tenure: Tenure,
  grant: HoldRecord,
): ReturnType<typeof passOnInStore> | undefined {
  const { possession } = locker
  const gate = possession.gateOf(tenure)
  const heir = gate && heirOf(locker, gate, tenure)
  tenure.state = 'releasing'
  possession.watchdog.unwatch(tenure)
  return heir && passOnInStore(locker, gate, tenure, heir, () => passed(locker, tenure, grant))
}

function released(locker: Locker, { name }: Tenure, owner: Owner, holdCount: number): void {
  locker.metrics.released()
  if (locker.hears('released')) locker.emit('released', { name, owner, holdCount })
}

function passed(locker: Locker, tenure: Tenure, grant: HoldRecord): void {
  grant.passedOn = true
  locker.metrics.handedOverByCommand()
  released(locker, tenure, tenure.owner, 0)
}

/** @param repeated whether the lock may have been given away by a command before, whose outcome is unknown. */
function releaseOf(
  { name, storedAs: owner, permits }: Tenure,
  { holdsLeft }: HoldRecord,
  repeated: boolean,
): ReleaseRequest {
  return { name, owner, heldBefore: holdsLeft + 1, repeated, permits }
}

/** Sends a release that failed again until it is answered, the store has failed for too long, or the lease has ended anyway. */
async function sendAgain(
  locker: Locker,
  tenure: Tenure,
  request: ReleaseRequest,
  failure: unknown,
): Promise<ReleaseReply> {
  const { schedule, settings } = locker
  const { deadline } = tenure
  const outage = new Outage()
  // A copy that is late would undo what the same owner acquires next.
  locker.giveBack.retire(request.owner)
  for (let error = failure; ; ) {
    const now = schedule.clock.now()
    outage.failed(error, now)
    const again = outage.retryAt(now)
    const hopeless =
      !isTransient(error) ||
      locker.closed ||
      again >= deadline ||
      outage.lastedMs(now) >= settings.storeTimeoutMs
    if (hopeless) {
      if (request.heldBefore === 1) abandon(locker, tenure, error, now)
      throw error
    }
    await locker.pauses.until(again)
    try {
      return await locker.port.release({ ...request, repeated: true })
    } catch (next) {
      error = next
    }
  }
}

/** Whether the lock is free is unknown. Seeing to that goes on in the background until the lease has ended. */
function abandon(locker: Locker, tenure: Tenure, error: unknown, now: number): void {
  const { name, storedAs: owner, deadline, permits } = tenure
  locker.possession.end(tenure)
  const request = { name, owner, heldBefore: 0, leaseMs: Math.max(deadline - now, 0), permits }
  void locker.giveBack.begin(request, Promise.reject(error))
}

function lost(locker: Locker, tenure: Tenure, grant: HoldRecord): unknown {
  locker.possession.lose(tenure, 'not-in-store', undefined)
  if (!grant.loss) grant.lost('not-in-store', undefined)
  return grant.loss
}
