import { nobody, type Owner } from '../../base/identity/owner.js'
import { isTransient, noAnswer } from '../../port/failure.js'
import type { ReleaseReply } from '../../port/lock-port.js'
import type { FailedTry } from '../acquire/outage.js'
import type { Environment } from '../environment.js'
import { afterLast, lastHold } from './after-last.js'
import { handOverByCommand, handOverInMemory } from './hand-over.js'
import type { HoldRecord, Tenure } from './tenure.js'
import { endOf } from './tenures.js'
import { retryWithinLease, withinLease } from './within-lease.js'

/**
 * The release that needs no command: of the owner's last hold, under the watchdog, with a call of this process to hand the lock to
 * (hand-over.ts), or where the lock stays with the process (lingering.ts). False when it is not that, and nothing was done.
 */
export function releaseInMemory(env: Environment, grant: HoldRecord): boolean {
  const { tenure } = grant
  const { tenures } = env
  const now = env.schedule.clock.now()
  const held = tenures.stillHeld(tenure, now)
  if (!held || tenure.holds.length !== 1 || !tenure.turns.free || grant.endedBy) return false
  const last = lastHold(env, tenures.queueOf(tenure), grant, now)
  const becomes = afterLast(last)
  const { owner } = tenure
  if (becomes === 'pass' && last.next) {
    tenures.holdEnded(grant, now)
    last.next.receive(handOverInMemory(env, grant, last.next.call, now))
    grant.passedOn = true
    env.metrics.handedOver('inMemory')
  } else if (becomes === 'linger' && last.lingersUntil !== undefined) {
    tenures.holdEnded(grant, now)
    env.lingering.stays(grant, last.lingersUntil, now)
  } else return false
  released(env, tenure, owner, 0)
  return true
}

/**
 * Gives one hold back by a command. The owner's last one ends its possession: the lock is handed to a call of this process that
 * waits (hand-over.ts), or released in the store; then the watchdog stops before the release is sent (rule L5), and the answer,
 * not the local clock, decides. To be called when {@link releaseInMemory} has looked at that clock. A lock that was lost is not released but reported (rule L6), and that is final.
 */
export async function release(env: Environment, grant: HoldRecord, onEnd: () => void): Promise<void> {
  const { tenure } = grant
  const { turns } = tenure
  const { clock } = env.schedule
  const askedAt = clock.now()
  // A release waits for no nested acquisition that only waits for its own turn: each may take as long as a command.
  const atOnce = turns.tryTake()
  const before = atOnce ? undefined : await turns.takeFirst()
  const begunAt = atOnce ? askedAt : clock.now()
  env.tenures.stillHeld(tenure, begunAt)
  // If the release before it has used up the patience for this outage, this one does not try again.
  const isOver = before !== undefined && begunAt - askedAt >= env.settings.storeTimeoutMs
  const givenUp = isOver ? { error: before, sentAt: askedAt } : undefined
  const isLast = !grant.endedBy && tenure.holds.length === 1
  let failure: unknown
  try {
    if (grant.endedBy) throw grant.endedBy
    env.tenures.holdEnded(grant, begunAt)
    await (isLast ? endPossession : endHold)(env, grant, { askedAt, begunAt, givenUp })
  } catch (error) {
    if (isTransient(error)) failure = error
    throw error
  } finally {
    turns.end(failure)
    if (!isLast) {
      // A sibling that waited may re-enter now.
      env.tenures.queueOf(tenure)?.policy.wakeNext(tenure.owner)
      env.kin?.changed(tenure)
    }
    onEnd()
  }
}

/** When a release was asked for, when it was its turn, and what the one before it had given up with, if this one need not try. */
interface Begun {
  readonly askedAt: number
  readonly begunAt: number
  readonly givenUp: FailedTry | undefined
}

/** One hold less, others stay. */
async function endHold(env: Environment, grant: HoldRecord, begun: Begun): Promise<void> {
  const { tenure } = grant
  grant.holdsLeft = tenure.holds.length - 1
  // It was to be passed on, and its owner was granted another meanwhile: nobody gets a ticket, so the last one frees the lock.
  if (tenure.kept?.as) tenure.kept = undefined
  tenure.holds = tenure.holds.filter((hold) => hold !== grant)
  if (tenure.renewUntil === undefined) env.tenures.watchdog.unwatch(tenure)
  const answer = await untilAnswered(env, grant, begun, 'release', giveUp(env, grant))
  if (answer === 'not-owner') throw lost(env, tenure, grant)
  released(env, tenure, tenure.owner, grant.holdsLeft)
}

/** The owner's last hold: the lock is kept taken, goes to a call of this process, or is released in the store. */
async function endPossession(env: Environment, grant: HoldRecord, begun: Begun): Promise<void> {
  const { tenure } = grant
  const { tenures } = env
  const queue = tenures.queueOf(tenure)
  const last = lastHold(env, queue, grant, begun.begunAt)
  const becomes = afterLast(last)
  tenure.state = 'releasing'
  tenures.watchdog.unwatch(tenure)
  const passes = (becomes === 'pass' || becomes === 'passByCommand') && !begun.givenUp
  const outcome =
    passes && queue && last.next
      ? await handOverByCommand(env, queue, tenure, last.next, () => passed(env, tenure, grant))
      : undefined
  if (outcome === 'done') return
  if (outcome === 'lost') throw lost(env, tenure, grant)
  tenure.releasing = grant
  const reply =
    becomes === 'keepTaken'
      ? await untilAnswered(env, grant, begun, 'handOver', keepTaken(env, tenure))
      : await untilAnswered(env, grant, begun, 'release', giveUp(env, grant, outcome === 'unknown'))
  tenure.releasing = undefined
  if (reply === 'not-owner') throw lost(env, tenure, grant)
  if (reply !== 'still-held') tenures.queueOf(tenure)?.stepAside(typeof reply === 'object' ? reply.others : 0)
  tenures.end(tenure)
  if (!grant.stayed) released(env, tenure, tenure.owner, 0)
}

function released(env: Environment, { name }: Tenure, owner: Owner, holdCount: number): void {
  env.metrics.count('released')
  if (env.events.hears('released')) env.events.emit('released', { name, owner, holdCount })
}

function passed(env: Environment, tenure: Tenure, grant: HoldRecord): void {
  grant.passedOn = true
  env.metrics.handedOver('byCommand')
  released(env, tenure, tenure.owner, 0)
}

/**
 * The command that gives a hold back.
 * @param repeated whether the lock may have been given away by a command before, whose outcome is unknown
 */
function giveUp(
  { port }: Environment,
  { tenure, holdsLeft }: HoldRecord,
  repeated = false,
): (again: boolean) => Promise<ReleaseReply> {
  const { name, storedAs: owner, permits } = tenure
  const request = { name, owner, heldBefore: holdsLeft + 1, permits }
  return (again) => port.release({ ...request, repeated: repeated || again })
}

/** Sends a command that gives a hold away until it is answered, the store has failed for too long, or the lease has ended anyway. */
async function untilAnswered(
  env: Environment,
  { tenure, holdsLeft }: HoldRecord,
  { askedAt, begunAt, givenUp }: Begun,
  command: 'release' | 'handOver',
  send: (again: boolean) => Promise<ReleaseReply>,
): Promise<ReleaseReply> {
  const sendOnce = (again: boolean): Promise<ReleaseReply> =>
    withinLease(env, tenure, begunAt, command, () => send(again))
  try {
    if (givenUp) throw givenUp.error
    return await sendOnce(false)
  } catch (error) {
    // A copy that is late would undo what the same owner acquires next.
    env.orphans.retire(tenure.storedAs)
    // What it has waited for, and tried before (the hand-over), is part of its time.
    const failed = { error, sentAt: askedAt }
    return await retryWithinLease(env, tenure, () => sendOnce(true), failed).catch((error: unknown) => {
      if (command === 'handOver') giveBack(env, tenure)
      else if (holdsLeft === 0) env.tenures.abandon(tenure, error)
      throw error
    })
  }
}

/**
 * This command leaves the lock taken for a while, for nobody or for a client that adopts it. It sets the lease to what is left of that time,
 * which counts from when this process knew of the grant, so the lock never ends too soon on the store's clock. If the process
 * cannot tell the store, the lock ends with its lease.
 */
function keepTaken(env: Environment, tenure: Tenure): () => Promise<ReleaseReply> {
  const { name, storedAs: from, kept } = tenure
  const owner = kept?.as ?? nobody(from)
  return async () => {
    const leaseMs = Math.max(tenure.keptForMs(env.schedule.clock.now()), 1)
    const { outcome } = await env.port.handOver({ name, from, owner, heldBefore: 0, leaseMs })
    return outcome === 'granted' ? 'still-held' : 'not-owner'
  }
}

/**
 * Whether the store has carried that out is unknown. Nobody has been told how to adopt it, so it is given back: first by the one that had it,
 * then no copy of the request can pass it on any more.
 */
function giveBack({ orphans, schedule, tenures }: Environment, tenure: Tenure): void {
  const { name, storedAs, deadline, kept } = tenure
  tenures.end(tenure)
  if (!kept?.as) return
  const { as: owner, until } = kept
  const leaseMs = Math.max(deadline, until) - schedule.clock.now()
  const request = { name, heldBefore: 0, leaseMs: Math.max(leaseMs, 0) }
  const unknown = (): Promise<never> => Promise.reject(noAnswer(name, { asks: 'handOver' }))
  void orphans
    .begin({ ...request, owner: storedAs }, unknown())
    .then(() => orphans.begin({ ...request, owner }, unknown()))
}

function lost(env: Environment, tenure: Tenure, grant: HoldRecord): unknown {
  tenure.lose()
  if (!grant.loss) grant.lost(endOf(tenure, env.schedule.clock.now()), undefined)
  return grant.loss
}
