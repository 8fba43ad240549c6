import type { HoldfastOptions } from '../../../src/index.js'
import type { Episode } from '../episode.js'
import { callsOf } from '../history/section.js'
import { checkExclusion } from './exclusion.js'
import type { Explanation, Finding } from './finding.js'

export interface Verdict {
  readonly findings: readonly Finding[]
  readonly explained: Readonly<Record<Explanation, number>>
  readonly faults: number
  /** How many sections of each kind were entered. */
  readonly sections: Readonly<Record<string, number>>
}

/** Judges an episode. */
export function check(
  episode: Episode,
  options: Required<Pick<HoldfastOptions, 'watchdogMs' | 'commandTimeoutMs'>>,
): Verdict {
  const { history, drained, closed, gone } = episode
  const calls = callsOf(history)
  const { findings, explained } = checkExclusion(calls, history.faults, {
    noticeMs: options.watchdogMs / 3 + 2 * options.commandTimeoutMs + 1_000,
    handOverMs: 200,
  })
  const all: Finding[] = [...findings]
  for (const { worker, events } of history.workers)
    for (const event of events)
      if (event.e === 'wrong') all.push({ check: 'wrong', kind: '', what: `${worker}: ${event.what}` })
  if (!drained) {
    const pending = calls.filter(({ settledAt, diedAt }) => settledAt === undefined && diedAt === undefined)
    for (const { id, kind, names, enteredAt } of pending)
      all.push({
        check: 'stuck',
        kind,
        what: `${id} on ${names.join(', ')} ${enteredAt === undefined ? 'waits' : 'has entered'}`,
      })
    if (pending.length === 0) all.push({ check: 'stuck', kind: '', what: 'a worker did not come to rest' })
  } else if (!closed) all.push({ check: 'stuck', kind: '', what: 'close() did not settle' })
  else if (!gone) all.push({ check: 'leftover', kind: '', what: 'a process did not end by itself' })
  const sections: Record<string, number> = {}
  for (const { kind, enteredAt } of calls)
    if (enteredAt !== undefined) sections[kind] = (sections[kind] ?? 0) + 1
  return { findings: all, explained, faults: history.faults.length, sections }
}
