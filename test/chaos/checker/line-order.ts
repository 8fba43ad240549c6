import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import { admits } from './exclusion.js'
import type { Finding } from './finding.js'

/**
 * Whether the kinds that have a line let nobody in before one who stood in it already when the other's call was made. Only where
 * no fault can have cost anybody a place; whoever stood still for long may have lost a grant.
 * @param stillMs how long a process may stand still and keep what it is granted
 */
export function checkLineOrder(calls: readonly Call[], standstills: Standstills, stillMs: number): Finding[] {
  const findings: Finding[] = []
  const inLine = calls.filter(
    ({ kind, names }) => ['fair', 'read', 'write'].includes(kind) && names.length === 1,
  )
  for (const first of inLine) {
    const { waitsSince, enteredAt, names } = first
    if (waitsSince === undefined || enteredAt === undefined) continue
    if (standstills.during(first.worker, waitsSince, enteredAt) > stillMs) continue
    for (const second of inLine) {
      if (second.names[0] !== names[0] || second.calledAt <= waitsSince) continue
      if ((second.enteredAt ?? Number.POSITIVE_INFINITY) >= enteredAt) continue
      if (first.kind === 'read' && second.kind === 'read') continue
      // A section within another re-enters, past the line.
      if (
        calls.some(
          (outer) =>
            outer !== second && outer.names.some((name) => name === names[0]) && admits(outer, second),
        )
      )
        continue
      findings.push({
        check: 'order',
        kind: first.kind,
        what: `${names[0]}: ${second.id} called at ${second.calledAt.toFixed(1)} entered before ${first.id}, in line since ${waitsSince.toFixed(1)}`,
      })
    }
  }
  return findings
}
