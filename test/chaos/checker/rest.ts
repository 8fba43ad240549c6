import type { Episode } from '../episode.js'
import type { Call } from '../history/section.js'
import type { Finding } from './finding.js'
import type { Trial } from './trial.js'

/** For so long after its start a worker may find the machine busy. */
const START_MS = 2_000
/** What `close()` may take after it has drained: five seconds for the store, and what a busy machine adds. */
const CLOSE_MS = 7_500

/** Whether everything has come to an end, in the clients, and nothing was said that should not be. */
export function checkRest(
  episode: Episode,
  { calls, unanswered }: Trial,
  { harmless, slowMs }: { readonly harmless: boolean; readonly slowMs: number },
): Finding[] {
  const { history, drained, closed, gone } = episode
  const findings: Finding[] = []
  const tell = (check: Finding['check'], what: string, kind = ''): void => {
    findings.push({ check, kind, what })
  }
  for (const { worker, events, killedAt } of history.workers) {
    if (closed && killedAt === undefined && !events.some(({ e }) => e === 'closed'))
      tell('wrong', `${worker} ended before it was told to`)
    for (const event of events) {
      if (event.e === 'wrong') tell('wrong', `${worker}: ${event.what}`)
      if (event.e === 'reopened') {
        const { t, ms, drainMs } = event
        const lateMs = ms - drainMs - CLOSE_MS - unanswered.during(worker, t - ms, t)
        if (lateMs > 0)
          tell('late', `${worker}: close({ drainMs: ${drainMs} }) took ${lateMs.toFixed(0)} ms too long`)
      }
      if (event.e === 'idle') {
        const left = Object.entries(event.census).filter(([, count]) => count !== 0)
        if (left.length > 0)
          tell('leftover', `${worker} at rest: ${JSON.stringify(Object.fromEntries(left))}`)
      }
      if (event.e === 'closed') {
        const handles = event.handles.filter((handle) => !/^Pipe|^TTY|Timeout/.test(handle))
        if (handles.length > 0) tell('leftover', `${worker} closed: ${handles.join(', ')}`)
      }
    }
  }
  for (const call of calls) {
    const { id, how, kind, worker, calledAt, settledAt = calledAt } = call
    if (how?.startsWith('store:') !== true) continue
    // A machine that is busy, with the start of the workers most of all, is not always in time.
    const began = history.workers.find((each) => each.worker === worker)?.events[0]?.t ?? calledAt
    const busy = calledAt - began < START_MS || unanswered.during(worker, calledAt, settledAt) > 0
    const refused = history.faults.some(
      ({ refuses, from, to }) => refuses && from <= settledAt && calledAt <= to,
    )
    if ((how.endsWith(':final') && !refused) || (harmless && !busy && !isTooShort(call, slowMs)))
      tell('wrong', `${id}: ${how}`, kind)
  }
  if (!drained) {
    // What is stuck then dies with its worker, when the episode is over.
    const pending = calls.filter(
      ({ settledAt, diedAt = Infinity }) => settledAt === undefined && diedAt >= history.endedAt,
    )
    for (const { id, kind, names, enteredAt, calledAt, worker } of pending) {
      const state = enteredAt === undefined ? 'waits' : 'has entered'
      const events = history.workers.find((each) => each.worker === worker)?.events ?? []
      const seen = events.map((each) =>
        each.e === 'seen' && ['', ...names].includes(each.name) ? ` ${each.name}${each.state}` : '',
      )
      const what = `${id} on ${names.join(', ')} ${state}, called at ${calledAt.toFixed(0)};${seen.join('')}`
      tell('stuck', what, kind)
    }
    if (pending.length === 0) tell('stuck', 'a worker did not come to rest')
  } else if (!closed) tell('stuck', 'close() did not settle')
  else if (!gone) tell('leftover', 'a process did not end by itself')
  return findings
}

/** There and back, as far away as a nemesis puts a worker (network.ts). */
const FARTHEST_TRIP_MS = 20

/**
 * Whether a call left the store too little time. A quorum gives a server a quarter of the lease to vote: at the farthest distance the
 * round trip alone may take that.
 * @param slowMs what the store may take for a grant
 */
export function isTooShort({ how, leaseMs = Infinity, waitMs = Infinity }: Call, slowMs: number): boolean {
  if (leaseMs < slowMs) return true
  return how === 'store:timeout' && (leaseMs / 4 < FARTHEST_TRIP_MS || waitMs < slowMs)
}
