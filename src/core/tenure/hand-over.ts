import { noAnswer } from '../../port/failure.js'
import { leaseDeadline, renewUntil } from '../../port/lease.js'
import type { Call } from '../acquire/call.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { LONGEST_UNCONFIRMED_MS } from '../queue/release-watch.js'
import type { Waiter } from '../queue/waiter.js'
import { HoldRecord, Tenure } from './tenure.js'
import { withinLease } from './within-lease.js'

/**
 * Hand-over within the process: when the last hold of an owner is given back and other calls of the same process wait, the
 * process keeps the lock and the next call in line gets it.
 *
 * This is lock cohorting (Dice, Marathe and Shavit, "Lock Cohorting: A General Technique for Designing NUMA Locks", PPoPP
 * 2012) with processes in the place of NUMA nodes: the lock in the store is the global lock, the wait queue the local one, and
 * a release first looks for a successor of its own cohort, because handing over within it costs no round trip. As there, it is
 * bounded: by a count (`maxHandOvers`), and by the time the process has had the lock (`handOverSliceMs`), after which the lock is
 * really released: where the store keeps a line, to the next process in it. Elsewhere a process that gave up the lock with others waiting
 * steps aside for a moment (local-queue.ts): being awake already it would win every race against those that have yet to hear of it.
 *
 * Under the watchdog a hand-over sends nothing. The store goes on knowing the lock by the owner it was granted to
 * (`Tenure.storedAs`), which is invisible to others, for whom all owners of a process are equally somebody else; ownership
 * within the process is enforced here. With an explicit lease on either side the lease in the store must change, and a fenced
 * lock must mint a token: then one command does it, atomically, and nobody else gets in between.
 */

/** A lock goes from call to call in memory no more often than that: each call is remembered until the store has confirmed it. */
const MOST_UNCONFIRMED = 1_024

/** Whether the store need not hear of it: then the lock can change hands in memory. */
export function canPassInMemory(
  { kind, tenures }: Environment,
  { tenure, renewUntil }: HoldRecord,
  { leaseMs }: Call,
  now: number,
): boolean {
  if (renewUntil === undefined || leaseMs !== undefined || kind.fenced) return false
  // A longer lease was for those who asked for it: the next holder's crash must not cost others so much.
  if (tenure.deadline > leaseDeadline(now, tenures.watchdog.leaseMs)) return false
  const { passed } = tenure
  const [first] = passed
  return !first || (passed.length < MOST_UNCONFIRMED && now - first.at <= LONGEST_UNCONFIRMED_MS)
}

/** Hands the lock on in memory. The call's hold is in force when this returns. */
export function handOverInMemory(env: Environment, last: HoldRecord, call: Call, now: number): HoldRecord {
  const { tenure } = last
  const grant = handedOver(tenure, call, now)
  tenure.passTo(call.caller.owner, grant, now)
  env.tenures.watchdog.resume(tenure)
  return grant
}

/**
 * Hands the lock on with one command. After `lost` there was nothing to hand on. After `unknown` the caller releases the lock, and may find
 * it gone: Orphans undoes the successor's grant, if there was one.
 */
export async function handOverByCommand(
  env: Environment,
  queue: LocalQueue,
  tenure: Tenure,
  successor: Waiter,
  onDone?: () => void,
): Promise<'done' | 'lost' | 'unknown'> {
  const { tenures, orphans } = env
  const { call } = successor
  const next = nextTenure(env, tenure, call)
  const leaseMs = env.lingering.leaseMs(call, tenure.stay)
  const sentAt = env.schedule.clock.now()
  const { name, storedAs: owner } = next
  const request = { name, owner, heldBefore: 0, leaseMs: leaseMs + env.settings.quarantineMs }
  successor.handOffPending = true
  const sent = env.port.handOver({ ...request, from: tenure.storedAs })
  const reply = await withinLease(env, tenure, sentAt, 'handOver', () => sent).catch(() => undefined)
  successor.handOffPending = false
  if (reply?.outcome !== 'granted') {
    tenures.watchdog.unwatch(next)
    if (reply) return 'lost'
    void orphans.begin(request, sent)
    orphans.retire(tenure.storedAs)
    return 'unknown'
  }
  next.fence = reply.fence
  const grant = handedOver(next, call, sentAt)
  const inTime = tenures.granted(queue, grant, sentAt, leaseMs)
  // Not before: who asks for the lock while the command is under way is heard by either.
  tenure.stay = undefined
  tenures.end(tenure)
  // The previous holder's end is told before the next one's beginning.
  onDone?.()
  if (!inTime) {
    tenures.watchdog.unwatch(next)
    void orphans.begin(request, sent)
  } else if (successor.gone) await env.discard(grant)
  else successor.receive(grant)
  return 'done'
}

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
  env.metrics.count('lingered')
  // Where each owner has its own tenure, the queue finds a tenure by its owner.
  queue.tenures.ended(last.tenure)
  const grant = handOverInMemory(env, last, call, now)
  queue.tenures.began(last.tenure)
  return grant
}

/** As {@link enterInMemory}, by a command. Settles when the store has answered, or when the call's time is up. */
export async function enterInStore(env: Environment, queue: LocalQueue, waiter: Waiter): Promise<undefined> {
  const { tenures } = env
  const last = env.lingering.lastOf(queue.name)
  if (!last) return undefined
  const { tenure } = last
  env.lingering.take(last)
  env.metrics.count('lingered')
  tenure.state = 'releasing'
  tenures.watchdog.unwatch(tenure)
  const passed = handOverByCommand(env, queue, tenure, waiter).then((outcome) => {
    if (outcome === 'lost') tenure.lose()
    if (outcome === 'unknown') tenures.abandon(tenure, noAnswer(tenure.name))
  })
  env.lifetime.passing(last, passed)
  await waiter.upTo(waiter.call.waitMs === 0 ? Infinity : waiter.deadline, passed)
  return undefined
}

function handedOver(tenure: Tenure, call: Call, from: number): HoldRecord {
  const until = call.leaseMs === undefined ? renewUntil(from, call.maxHoldMs) : undefined
  const grant = new HoldRecord(tenure, call.holder, until, call.reentrant)
  grant.handedOver = true
  return grant
}

/** The tenure that follows: stored as an owner the store has never heard of, under which nothing can be astray. */
function nextTenure(env: Environment, tenure: Tenure, { caller, leaseMs }: Call): Tenure {
  const next = new Tenure(tenure.name, caller.owner, env.newOwner())
  next.since = tenure.since
  next.handOvers = tenure.handOvers + 1
  next.stay = tenure.stay
  if (leaseMs === undefined) env.tenures.watchdog.watch(next)
  return next
}
