import type { Fault } from '../history/history.js'
import { byName, type Call } from '../history/section.js'
import { admits } from './exclusion.js'
import { type Finding, finding } from './finding.js'
import type { Trial } from './trial.js'

/**
 * Whether the kinds that have a line let nobody in before one who stood in it already when the other's call was made. Only where
 * no fault can have cost anybody a place; whoever stood still for long may have lost a grant.
 * @param stillMs how long a process may stand still and keep what it is granted
 * @param toldMs how long it takes until a process in which the lock lingers has been told that others ask for it. Calls that are made
 *   there until then enter without a word to the store
 */
export function checkLineOrder({ calls, standstills }: Trial, stillMs: number, toldMs = 0): Finding[] {
  const findings: Finding[] = []
  const kinds = ['fair', 'read', 'write']
  const inLine = calls.filter(({ kind, names }) => kinds.includes(kind) && names.length === 1)
  for (const first of inLine) {
    const { waitsSince, enteredAt, names } = first
    if (waitsSince === undefined || enteredAt === undefined) continue
    if (standstills.during(first.worker, waitsSince, enteredAt) > stillMs) continue
    for (const second of inLine) {
      if (second.names[0] !== names[0] || second.calledAt <= waitsSince) continue
      if ((second.enteredAt ?? Infinity) >= enteredAt) continue
      if (first.kind === 'read' && second.kind === 'read') continue
      const stood = standstills.during(second.worker, waitsSince, second.calledAt)
      if (second.kind === 'fair' && toldMs > 0 && second.calledAt - waitsSince <= toldMs + stood) continue
      // A section within another re-enters, past the line.
      const onName = calls.filter(
        (outer) => outer !== second && outer.names.some((name) => name === names[0]),
      )
      if (onName.some((outer) => admits(outer, second))) continue
      const later = `${second.id} called at ${second.calledAt.toFixed(1)}`
      const earlier = `${first.id}, in line since ${waitsSince.toFixed(1)}`
      findings.push(finding('order', first, `${names[0]}: ${later} entered before ${earlier}`))
    }
  }
  return findings
}

const WAIT_MS = 5_000
const ENTRIES = 100
/** The kinds that have a line in the store, where it keeps one. */
const LINED = ['lock', 'fenced', 'striped', 'fair', 'read', 'write']
const UNFAIR =
  'where the store keeps no line, processes that are farther from it may starve (docs/robustness.md)'

/** Whether a call waited for long while others entered again and again. Where nothing is promised (who polls, or misses the moment at which a latch was open), nothing is asked. */
export function checkStarvation({ calls, faults, unanswered, endedAt }: Trial, polled: boolean): Finding[] {
  const findings: Finding[] = []
  const lined = polled ? [] : LINED
  const onNames = byName(calls)
  for (const call of calls) {
    const { id, kind, names, worker, calledAt, enteredAt, settledAt, diedAt } = call
    const [name] = names
    if (kind === 'spin' || kind === 'latch' || name === undefined || names.length > 1) continue
    const until = enteredAt ?? settledAt ?? diedAt ?? endedAt
    const waited =
      until - calledAt - unanswered.during(worker, calledAt, until) - cutOff(faults, calledAt, until)
    if (waited < WAIT_MS) continue
    const others = (onNames.get(name) ?? []).filter(
      (other) => other.calledAt > calledAt && (other.enteredAt ?? Infinity) < until,
    )
    const what = `${id} waited for ${name} for ${waited.toFixed(0)} ms`
    const starved = finding('starved', call, `${what}; ${others.length} that came later entered before it`)
    if (others.length > ENTRIES)
      findings.push(lined.includes(kind) ? starved : { ...starved, expected: UNFAIR })
  }
  return findings
}

/** For how long somebody, perhaps the one who waited, could not reach the store. */
function cutOff(faults: readonly Fault[], from: number, to: number): number {
  return faults
    .filter(({ cutsOff }) => cutsOff)
    .reduce((sum, fault) => sum + Math.max(0, Math.min(to, fault.to) - Math.max(from, fault.from)), 0)
}

/** Whether each tenure has a greater token than all before it, unless the counter may be lost. */
export function checkFences(calls: readonly Call[], faults: readonly Fault[]): Finding[] {
  const findings: Finding[] = []
  const greatest = new Map<string, Call>()
  const minted = calls
    .filter(({ kind, fence, beliefs }) => {
      const [first] = beliefs
      // A process that was frozen between its grant and its entry says so late.
      return (kind === 'fenced' || kind === 'write') && fence !== undefined && first && first.until > first.at
    })
    .sort((one, other) => (one.enteredAt ?? 0) - (other.enteredAt ?? 0))
  for (const call of minted) {
    const { names, fence = 0n, enteredAt = 0 } = call
    const [name = ''] = names
    const before = greatest.get(name)
    // It may have heard of a token only after the server that gave it had crashed and come back.
    const forgotten = faults.some(
      ({ loses, to }) => loses !== 'nothing' && before && to >= before.calledAt && to - 10_000 <= enteredAt,
    )
    if (before?.fence !== undefined && !forgotten) {
      const nested = admits(before, call) && fence === before.fence
      const what = `${name}: ${call.id} has token ${fence}, ${before.id} before had ${before.fence}`
      if (fence <= before.fence && !nested && !calls.some((other) => isOuter(other, call)))
        findings.push(finding('fence', call, what))
    }
    if (before?.fence === undefined || fence > before.fence || forgotten) greatest.set(name, call)
  }
  return findings
}

/** Whether a call has re-entered the hold of another, whose token it shares. */
function isOuter(other: Call, call: Call): boolean {
  return (
    other !== call && other.fence === call.fence && other.names[0] === call.names[0] && admits(other, call)
  )
}

/** Whether a hold that is renewed was lost although nothing happened to it. Only where nothing did. */
export function checkLosses({ calls, unanswered }: Trial): Finding[] {
  const leased = calls.filter(({ leaseMs }) => leaseMs !== undefined)
  const isLost = ({ leaseMs, lostAt, enteredAt, exitedAt = Infinity, worker }: Call): boolean => {
    if (lostAt === undefined || enteredAt === undefined || leaseMs !== undefined || lostAt > exitedAt)
      return false
    return unanswered.during(worker, enteredAt, lostAt) === 0
  }
  // What is held by way of a leased hold ends with that.
  return calls
    .filter((call) => isLost(call) && !leased.some((outer) => sharesName(outer, call) && admits(outer, call)))
    .map((call) =>
      finding('wrong', call, `${call.id} on ${call.names.join(', ')} was lost, although nothing happened`),
    )
}

function sharesName(one: Call, other: Call): boolean {
  return one.names.some((name) => other.names.includes(name))
}
