import type { Owner } from '../../base/identity/owner.js'
import { isTransient, mayPass } from '../../port/failure.js'
import type { ReleaseReply, ReleaseRequest } from '../../port/lock-port.js'
import { type FailedTry, retry } from '../acquire/retry.js'
import type { Environment } from '../environment.js'
import { handOverByCommand, handOverInMemory, staysAsItIs, successorOf } from './hand-over.js'
import { keepTaken, keptForMs } from './keep-taken.js'
import { CARRIED_OUT } from './orphans.js'
import { letIn } from './other-side.js'
import type { HoldRecord, Releasing, Tenure } from './tenure.js'
import { withinLease } from './within-lease.js'

/**
 * The release that needs no command: of the owner's last hold, under the watchdog, with a call of this process to hand the lock to
 * (hand-over.ts), or where the lock stays with the process (lingering.ts). False when it is not that, and nothing was done.
 */
export function releaseInMemory(env: Environment, grant: HoldRecord): boolean {
  const { tenure } = grant
  const { tenures } = env
  const held = tenures.stillHeld(tenure)
  if (!held || tenure.holds.length !== 1 || !tenure.turns.free || grant.endedBy) return false
  if (keptForMs(env, tenure) > 0) return false
  const queue = tenures.queueOf(tenure)
  const successor = queue && successorOf(env, queue, tenure)
  const done = successor
    ? staysAsItIs(env, grant, successor.call)
    : queue && env.lingering.stays(queue, grant)
  if (!done) return false
  const { owner } = tenure
  tenures.holdEnded(grant)
  if (successor) {
    successor.receive(handOverInMemory(env, grant, successor.call))
    grant.passedOn = true
    env.metrics.handedOverInMemory()
  }
  released(env, tenure, owner, 0)
  return true
}

/**
 * Gives one hold back by a command. The owner's last one ends its possession: the lock is handed to a call of this process that
 * waits (hand-over.ts), or released in the store; then the watchdog stops before the release is sent (rule L5), and the answer,
 * not the local clock, decides. To be called when {@link releaseInMemory} has looked at that clock. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(
  env: Environment,
  grant: HoldRecord,
  releasing: Releasing,
  onEnd: () => void,
): Promise<void> {
  const { tenure } = grant
  const { tenures } = env
  const { clock } = env.schedule
  const askedAt = clock.now()
  let begunAt = askedAt
  let ended = false
  let turn = false
  let givenUp: FailedTry | undefined
  let failure: unknown
  try {
    turn = tenure.turns.tryTake()
    if (!turn) {
      // A release waits for no nested acquisition that only waits for its own turn: each may take as long as a command.
      const before = await tenure.turns.takeFirst()
      turn = true
      tenures.stillHeld(tenure)
      // The one before it has tried for both, where it tried for as long as this one may: one outage is waited out once.
      begunAt = clock.now()
      if (before !== undefined && begunAt - askedAt >= env.settings.storeTimeoutMs)
        givenUp = { error: before, sentAt: askedAt }
    }
    if (grant.endedBy) throw grant.endedBy
    tenures.holdEnded(grant)
    ended = tenure.holds.length === 1
    if (ended && keptForMs(env, tenure) > 0) {
      await endKept(env, tenure, grant, releasing, askedAt, givenUp)
      return
    }
    const passedOn = ended
      ? endPossession(env, tenure, grant, givenUp === undefined)
      : endHold(env, tenure, grant)
    const outcome = passedOn && (await passedOn)
    if (outcome === 'done') return
    if (outcome === 'lost') throw lost(env, tenure, grant)
    const request = releaseOf(tenure, grant, outcome === 'unknown')
    if (ended) tenure.releasing = releasing
    const send = (asked: ReleaseRequest): Promise<ReleaseReply> =>
      withinLease(env, tenure, begunAt, 'release', () => env.port.release(asked))
    let reply: ReleaseReply
    try {
      if (givenUp) throw givenUp.error
      reply = await send(request)
    } catch (error) {
      // What it has waited for, and tried before (the hand-over), is part of its time.
      reply = await sendAgain(env, tenure, request, send, { error, sentAt: askedAt })
    }
    tenure.releasing = undefined
    if (reply === 'not-owner') throw lost(env, tenure, grant)
    if (ended) {
      tenures.queueOf(tenure)?.stepAside(typeof reply === 'object' ? reply.others : 0)
      tenures.end(tenure)
    }
    if (!grant.stayed) released(env, tenure, tenure.owner, grant.holdsLeft)
  } catch (error) {
    if (isTransient(error)) failure = error
    throw error
  } finally {
    if (turn) tenure.turns.end(failure)
    if (!ended) {
      tenures.lessened(tenure)
      letIn(env, tenure)
    }
    onEnd()
  }
}

/** The owner's last hold, after which the lock stays taken. */
async function endKept(
  env: Environment,
  tenure: Tenure,
  grant: HoldRecord,
  releasing: Releasing,
  askedAt: number,
  givenUp: FailedTry | undefined,
): Promise<void> {
  const { tenures } = env
  const { owner } = tenure
  tenure.state = 'releasing'
  tenure.releasing = releasing
  tenures.watchdog.unwatch(tenure)
  try {
    if (!(await keepTaken(env, tenure, askedAt, givenUp))) throw lost(env, tenure, grant)
  } finally {
    tenure.releasing = undefined
    tenures.end(tenure)
  }
  released(env, tenure, owner, 0)
}

/** One hold less, others stay. */
function endHold({ tenures }: Environment, tenure: Tenure, grant: HoldRecord): undefined {
  grant.holdsLeft = tenure.holds.length - 1
  // It was to be passed on, and its owner was granted another meanwhile: nobody gets a ticket, so the last one frees the lock.
  if (tenure.kept?.as) tenure.kept = undefined
  tenure.holds = tenure.holds.filter((hold) => hold !== grant)
  if (tenure.renewUntil === undefined) tenures.watchdog.unwatch(tenure)
}

/** The owner's last hold: the lock goes to a call of this process if one may have it; what comes of that is returned. */
function endPossession(
  env: Environment,
  tenure: Tenure,
  grant: HoldRecord,
  mayHandOn: boolean,
): ReturnType<typeof handOverByCommand> | undefined {
  const { tenures } = env
  const queue = tenures.queueOf(tenure)
  const successor = mayHandOn && queue ? successorOf(env, queue, tenure) : undefined
  tenure.state = 'releasing'
  tenures.watchdog.unwatch(tenure)
  return (
    queue && successor && handOverByCommand(env, queue, tenure, successor, () => passed(env, tenure, grant))
  )
}

function released(env: Environment, { name }: Tenure, owner: Owner, holdCount: number): void {
  env.metrics.released()
  if (env.events.hears('released')) env.events.emit('released', { name, owner, holdCount })
}

function passed(env: Environment, tenure: Tenure, grant: HoldRecord): void {
  grant.passedOn = true
  env.metrics.handedOverByCommand()
  released(env, tenure, tenure.owner, 0)
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
  env: Environment,
  tenure: Tenure,
  request: ReleaseRequest,
  send: (request: ReleaseRequest) => Promise<ReleaseReply>,
  failed: FailedTry,
): Promise<ReleaseReply> {
  const { clock } = env.schedule
  // A copy that is late would undo what the same owner acquires next.
  env.orphans.retire(request.owner)
  try {
    return await retry(
      () => send({ ...request, repeated: true }),
      {
        clock,
        pause: (again) => env.pauses.until(again),
        patienceMs: env.settings.storeTimeoutMs,
        givesUp: (again) => env.closed || again >= tenure.deadline,
      },
      failed,
    )
  } catch (error) {
    if (request.heldBefore === 1) abandon(env, tenure, error, clock.now())
    throw error
  }
}

/** Nobody holds the lock, and whether the store knows is unknown. Seeing to that goes on in the background until the lease has ended. */
export function abandon(env: Environment, tenure: Tenure, error: unknown, now: number): void {
  const { name, storedAs: owner, deadline, permits } = tenure
  env.tenures.end(tenure)
  const request = { name, owner, heldBefore: 0, leaseMs: Math.max(deadline - now, 0), permits }
  // For want of room nothing was done: what is there still is given back when there is room.
  const refused = mayPass(error) && !isTransient(error)
  void env.orphans.begin(request, refused ? CARRIED_OUT : Promise.reject(error))
}

function lost(env: Environment, tenure: Tenure, grant: HoldRecord): unknown {
  env.tenures.lose(tenure, 'not-in-store', undefined)
  if (!grant.loss) grant.lost('not-in-store', undefined)
  return grant.loss
}
