import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import { admits } from './exclusion.js'
import type { Finding } from './finding.js'

/** Whether a hold that is renewed was lost although nothing happened to it. Only where nothing did. */
export function checkLosses(calls: readonly Call[], standstills: Standstills): Finding[] {
  const leased = calls.filter(({ leaseMs }) => leaseMs !== undefined)
  return (
    calls
      .filter(({ leaseMs, lostAt, enteredAt, exitedAt = Number.POSITIVE_INFINITY, worker }) => {
        if (lostAt === undefined || enteredAt === undefined || leaseMs !== undefined || lostAt > exitedAt)
          return false
        return standstills.during(worker, enteredAt, lostAt) === 0
      })
      // What is held by way of a leased hold ends with that.
      .filter((call) => !leased.some((outer) => sharesName(outer, call) && admits(outer, call)))
      .map(({ id, kind, names }) => ({
        check: 'wrong',
        kind,
        what: `${id} on ${names.join(', ')} was lost, although nothing happened`,
      }))
  )
}

function sharesName(one: Call, other: Call): boolean {
  return one.names.some((name) => other.names.includes(name))
}
