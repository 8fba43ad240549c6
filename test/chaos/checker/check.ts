import { firstLeaseMs } from '../../../src/port/first-lease.js'
import type { Episode } from '../episode.js'
import { Room } from '../history/room.js'
import { callsOf } from '../history/section.js'
import { Standstills } from '../history/standstills.js'
import type { Nemesis } from '../nemeses/nemesis.js'
import { promisesOf } from '../topologies/store-promises.js'
import type { TopologyName } from '../topologies/topology.js'
import { checkExclusion } from './exclusion.js'
import { checkFences } from './fences.js'
import type { Explanation, Finding } from './finding.js'
import { checkIdleness } from './idleness.js'
import { checkLateness, type Promises } from './lateness.js'
import { checkLineOrder } from './line-order.js'
import { checkLosses } from './losses.js'
import { checkOutages } from './outages.js'
import { checkRest } from './rest.js'
import { checkStarvation } from './starvation.js'

export interface Times {
  readonly watchdogMs: number
  readonly commandTimeoutMs: number
  readonly storeTimeoutMs: number
  readonly lingerMs: number | 'auto'
}

export interface Verdict {
  readonly findings: readonly Finding[]
  readonly explained: Readonly<Record<Explanation, number>>
  readonly faults: number
  readonly sections: Readonly<Record<string, number>>
  readonly booked: number
  /** By kind: the longest time for which something was free beside a live waiter. */
  readonly longestIdleMs: Readonly<Record<string, number>>
}

/** What a busy machine may add to any bound. */
const GRACE_MS = 1_500
const HAND_OVER_MS = 200
/** From the refusal of a request until the process that keeps the lock has been told of it. */
const TOLD_MS = 50

export function check(episode: Episode, nemesis: Nemesis, topology: TopologyName, times: Times): Verdict {
  const { history, left } = episode
  const { watchdogMs, commandTimeoutMs, storeTimeoutMs, lingerMs } = times
  const { faults, endedAt } = history
  const { lined, inWorkers, tokensOutliveLosses, slowMs, lastsMs, stoppedMs, hungMs } = promisesOf(topology)
  const terms = { watchdogMs, elects: nemesis.elects === true }
  const calls = callsOf(history)
  const standstills = new Standstills(history)
  const unanswered = new Standstills(history, inWorkers)
  const promises: Promises = { storeTimeoutMs, commandTimeoutMs, graceMs: GRACE_MS }
  const room = new Room(history)
  const exclusion = checkExclusion(calls, faults, room, standstills, {
    noticeMs: watchdogMs / 3 + GRACE_MS + (faults.some(({ cutsOff }) => cutsOff) ? 2 * commandTimeoutMs : 0),
    handOverMs: HAND_OVER_MS,
    hungMs: hungMs({ watchdogMs }),
  })
  const idleness = checkIdleness(calls, faults, unanswered, room, endedAt, {
    slowMs,
    lastsMs: (leaseMs) => lastsMs({ ...terms, leaseMs }),
    idleMs:
      GRACE_MS +
      // Until a connection is known to be gone, and another is there.
      (nemesis.harmless === true ? 0 : 2 * commandTimeoutMs) +
      (nemesis.freezes === true ? stoppedMs(terms) : 0) +
      (nemesis.strays === true || nemesis.endsEarly === true ? watchdogMs : 0),
  })
  const sections: Record<string, number> = {}
  for (const { kind, enteredAt } of calls)
    if (enteredAt !== undefined) sections[kind] = (sections[kind] ?? 0) + 1
  return {
    findings: [
      ...exclusion.findings,
      ...checkRest(episode, calls, unanswered, { harmless: nemesis.harmless === true, slowMs }),
      ...checkLateness(calls, standstills, promises),
      ...checkOutages(calls, faults, unanswered, promises, (leaseMs) => lastsMs({ ...terms, leaseMs })),
      ...idleness.findings,
      ...checkStarvation(calls, faults, unanswered, endedAt, !lined),
      ...checkFences(calls, tokensOutliveLosses ? [] : faults),
      ...(lined && (nemesis.harmless === true || nemesis.keepsPlaces === true)
        ? checkLineOrder(
            calls,
            standstills,
            firstLeaseMs(watchdogMs) / 2,
            lingerMs !== 'auto' && lingerMs > 0 ? TOLD_MS : 0,
          )
        : []),
      ...(nemesis.harmless === true || nemesis.keepsHolds === true ? checkLosses(calls, unanswered) : []),
      ...left,
    ],
    explained: exclusion.explained,
    faults: faults.length,
    sections,
    booked: history.workers.reduce(
      (sum, { events }) => sum + events.filter(({ e }) => e === 'booked').length,
      0,
    ),
    longestIdleMs: idleness.longestMs,
  }
}
