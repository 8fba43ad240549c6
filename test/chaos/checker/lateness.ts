import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import type { Finding } from './finding.js'

export interface Promises {
  readonly storeTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly graceMs: number
}

/** Whether each call that has a bound was answered, and each release done, within it. */
export function checkLateness(
  calls: readonly Call[],
  standstills: Standstills,
  promises: Promises,
): Finding[] {
  const { storeTimeoutMs, commandTimeoutMs, graceMs } = promises
  const findings: Finding[] = []
  for (const call of calls) {
    const { id, kind, way, names, worker, calledAt, waitMs, abortMs, enteredAt, exitedAt, settledAt, how } =
      call
    const late = (from: number, to: number, boundMs: number): number =>
      to - from - boundMs - standstills.during(worker, from, to)
    const tell = (what: string, lateMs: number): void => {
      if (lateMs > graceMs)
        findings.push({
          check: 'late',
          kind,
          what: `${id} on ${names.join(', ')} ${what} ${lateMs.toFixed(0)} ms too late (${how ?? 'not settled'}) at ${calledAt.toFixed(0)}`,
        })
    }
    // What is sent last before the store is given up may take as long as any command.
    const patienceMs = storeTimeoutMs + commandTimeoutMs
    // Whoever got the lock of a value looks once more for one, and where there is one gives the lock back without having entered.
    const lookMs =
      kind !== 'compute-once' || how !== 'ok'
        ? 0
        : commandTimeoutMs + (enteredAt === undefined ? patienceMs : 0)
    const answeredAt = enteredAt ?? settledAt
    // One attempt takes as long as the store needs, within bounds of its own; lock() is followed by another, for the hold.
    const attempts = (waitMs === 0 ? 1 : 0) + (way === 'lock' || way === 'tryLock' ? 2 : 0)
    const wait = Math.min(waitMs ?? Number.POSITIVE_INFINITY, abortMs ?? Number.POSITIVE_INFINITY)
    if (answeredAt !== undefined && Number.isFinite(wait))
      tell('was answered', late(calledAt, answeredAt, wait + attempts * patienceMs + lookMs))
    if (exitedAt !== undefined && settledAt !== undefined) {
      const releases = way === 'lock' || way === 'tryLock' ? 2 : 1
      tell('was released', late(exitedAt, settledAt, releases * patienceMs))
    }
  }
  return findings
}
