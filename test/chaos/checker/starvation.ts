import type { Fault } from '../history/fault.js'
import type { Call } from '../history/section.js'
import type { Standstills } from '../history/standstills.js'
import type { Finding } from './finding.js'

const WAIT_MS = 5_000
const ENTRIES = 100
/** The kinds that have a line in the store, where it keeps one. */
const LINED = ['lock', 'fenced', 'striped', 'fair', 'read', 'write']
const UNFAIR =
  'where the store keeps no line, processes that are farther from it may starve (docs/robustness.md)'

/** Whether a call waited for long while others entered again and again. Where nothing is promised (who polls, or misses the moment at which a latch was open), nothing is asked. */
export function checkStarvation(
  calls: readonly Call[],
  faults: readonly Fault[],
  standstills: Standstills,
  endedAt: number,
  polled: boolean,
): Finding[] {
  const findings: Finding[] = []
  const lined = polled ? [] : LINED
  const entries = new Map<string, Call[]>()
  for (const call of calls)
    for (const name of call.names) entries.set(name, [...(entries.get(name) ?? []), call])
  for (const call of calls) {
    const { id, kind, names, worker, calledAt, enteredAt, settledAt, diedAt } = call
    const [name] = names
    if (kind === 'spin' || kind === 'latch' || name === undefined || names.length > 1) continue
    const until = enteredAt ?? settledAt ?? diedAt ?? endedAt
    const waited =
      until - calledAt - standstills.during(worker, calledAt, until) - cutOff(faults, calledAt, until)
    if (waited < WAIT_MS) continue
    const others = (entries.get(name) ?? []).filter(
      (other) => other.calledAt > calledAt && (other.enteredAt ?? Number.POSITIVE_INFINITY) < until,
    )
    if (others.length > ENTRIES)
      findings.push({
        check: 'starved',
        kind,
        ...(lined.includes(kind) ? {} : { expected: UNFAIR }),
        what: `${id} waited for ${name} for ${waited.toFixed(0)} ms; ${others.length} that came later entered before it`,
      })
  }
  return findings
}

/** For how long somebody, perhaps the one who waited, could not reach the store. */
function cutOff(faults: readonly Fault[], from: number, to: number): number {
  return faults
    .filter(({ cutsOff }) => cutsOff)
    .reduce((sum, fault) => sum + Math.max(0, Math.min(to, fault.to) - Math.max(from, fault.from)), 0)
}
