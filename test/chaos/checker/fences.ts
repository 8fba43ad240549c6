import type { Fault } from '../history/history.js'
import type { Call } from '../history/section.js'
import { admits } from './exclusion.js'
import { type Finding, finding } from './finding.js'

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
      if (fence <= before.fence && !nested && !calls.some((other) => isOuter(other, call)))
        findings.push(
          finding(
            'fence',
            call,
            `${name}: ${call.id} has token ${fence}, ${before.id} before had ${before.fence}`,
          ),
        )
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
