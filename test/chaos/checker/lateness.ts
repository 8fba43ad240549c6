import { endOf } from '../history/section.js'
import { type Finding, finding } from './finding.js'
import type { Trial } from './trial.js'

interface Promises {
  readonly storeTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly graceMs: number
}

/** Whether each call that has a bound was answered, and each release done, within it. */
export function checkLateness({ calls, standstills }: Trial, promises: Promises): Finding[] {
  const { storeTimeoutMs, commandTimeoutMs, graceMs } = promises
  const findings: Finding[] = []
  for (const call of calls) {
    const { id, kind, way, names, worker, calledAt, waitMs, abortMs, enteredAt, exitedAt, settledAt, how } =
      call
    const late = (from: number, to: number, boundMs: number): number =>
      to - from - boundMs - standstills.during(worker, from, to)
    const tell = (what: string, lateMs: number): void => {
      const state = `(${how ?? 'not settled'}) at ${calledAt.toFixed(0)}`
      const whole = `${id} on ${names.join(', ')} ${what} ${lateMs.toFixed(0)} ms too late ${state}`
      if (lateMs > graceMs) findings.push(finding('late', call, whole))
    }
    // What is sent last before the store is given up may take as long as any command.
    const patienceMs = storeTimeoutMs + commandTimeoutMs
    // Whoever got the lock of a value looks once more for one, and where there is one gives the lock back without having entered.
    const looks = kind === 'compute-once' && how === 'ok'
    const lookMs = looks ? commandTimeoutMs + (enteredAt === undefined ? patienceMs : 0) : 0
    const answeredAt = enteredAt ?? settledAt
    // One attempt takes as long as the store needs, within bounds of its own; lock() is followed by another, for the hold.
    const attempts = (waitMs === 0 ? 1 : 0) + (way === 'lock' || way === 'tryLock' ? 2 : 0)
    const wait = Math.min(waitMs ?? Infinity, abortMs ?? Infinity)
    if (answeredAt !== undefined && Number.isFinite(wait))
      tell('was answered', late(calledAt, answeredAt, wait + attempts * patienceMs + lookMs))
    if (exitedAt !== undefined && settledAt !== undefined) {
      const releases = way === 'lock' || way === 'tryLock' ? 2 : 1
      tell('was released', late(exitedAt, settledAt, releases * patienceMs))
    }
  }
  return findings
}

/**
 * Whether calls that would wait for long gave up in time while their process heard nothing of the store. Only what waited for the
 * store counts: not behind a section of its own process. A call that waits behind another process's holder asks when the lease that
 * it saw has ended, and may find out only then that the store is silent.
 */
export function checkOutages(
  { calls, faults, unanswered }: Trial,
  { storeTimeoutMs, commandTimeoutMs, graceMs }: Promises,
  lastsMs: (leaseMs?: number) => number,
): Finding[] {
  const findings: Finding[] = []
  for (const { silences, from, to } of faults) {
    if (silences === undefined) continue
    const own = calls.filter(({ worker, names }) => worker === silences && names.length === 1)
    for (const call of own) {
      const { id, names, calledAt, enteredAt, settledAt, worker } = call
      const until = Math.min(enteredAt ?? settledAt ?? to, to)
      const before = own
        .filter((other) => other !== call && other.names[0] === names[0] && (other.enteredAt ?? to) < until)
        .map((other) => Math.min(Math.max(endOf(other), other.settledAt ?? to), to))
      const since = Math.max(from, calledAt, ...before)
      const leases = calls
        .filter((other) => other.worker !== worker && other.names.some((name) => names.includes(name)))
        .filter((other) => (other.enteredAt ?? until) < until && endOf(other) > calledAt)
        .map((other) => lastsMs(other.leaseMs))
      const boundMs = Math.max(0, ...leases) + storeTimeoutMs + commandTimeoutMs
      const lateMs = until - since - boundMs - unanswered.during(worker, since, until)
      const what = `put up with a silent store for ${lateMs.toFixed(0)} ms too long`
      if (lateMs > graceMs) findings.push(finding('late', call, `${id} on ${names.join(', ')} ${what}`))
    }
  }
  return findings
}
