import type { Fault } from '../history/fault.js'
import { type Call, endOf } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import type { Finding } from './finding.js'
import type { Promises } from './lateness.js'

/**
 * Whether calls that would wait for long gave up in time while their process heard nothing of the store. Only what waited for the
 * store counts: not behind a section of its own process. A call that waits behind another process's holder asks when the lease that
 * it saw has ended, and may find out only then that the store is silent.
 */
export function checkOutages(
  calls: readonly Call[],
  faults: readonly Fault[],
  standstills: Standstills,
  { storeTimeoutMs, commandTimeoutMs, graceMs }: Promises,
  lastsMs: (leaseMs?: number) => number,
): Finding[] {
  const findings: Finding[] = []
  for (const { silences, from, to } of faults) {
    if (silences === undefined) continue
    const own = calls.filter(({ worker, names }) => worker === silences && names.length === 1)
    for (const call of own) {
      const { id, kind, names, calledAt, enteredAt, settledAt, worker } = call
      const until = Math.min(enteredAt ?? settledAt ?? to, to)
      const before = own
        .filter((other) => other !== call && other.names[0] === names[0] && (other.enteredAt ?? to) < until)
        .map((other) => Math.max(endOf(other), other.settledAt ?? to))
        .map((end) => Math.min(end, to))
      const since = Math.max(from, calledAt, ...before)
      const leases = calls
        .filter((other) => other.worker !== worker && other.names.some((name) => names.includes(name)))
        .filter(
          (other) => other.enteredAt !== undefined && other.enteredAt < until && endOf(other) > calledAt,
        )
        .map((other) => lastsMs(other.leaseMs))
      const boundMs = Math.max(0, ...leases) + storeTimeoutMs + commandTimeoutMs
      const lateMs = until - since - boundMs - standstills.during(worker, since, until)
      if (lateMs > graceMs)
        findings.push({
          check: 'late',
          kind,
          what: `${id} on ${names.join(', ')} put up with a silent store for ${lateMs.toFixed(0)} ms too long`,
        })
    }
  }
  return findings
}
