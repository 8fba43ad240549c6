import type { Call } from '../history/section.js'
import { admits } from './exclusion.js'
import { type Finding, finding } from './finding.js'
import type { Trial } from './trial.js'

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
