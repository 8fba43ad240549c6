import { firstLeaseMs } from '../../../src/port/lease.js'
import type { Episode } from '../episode.js'
import type { Nemesis } from '../nemeses/nemesis.js'
import { promisesOf } from '../topologies/store-promises.js'
import type { TopologyName } from '../topologies/topology.js'
import { checkExclusion } from './exclusion.js'
import { checkIdleness } from './idleness.js'
import { checkLateness, checkOutages } from './lateness.js'
import { checkRest } from './rest.js'
import { trialOf } from './trial.js'
import { checkFences, checkLineOrder, checkLosses, checkStarvation } from './turns.js'

export interface Times {
  readonly watchdogMs: number
  readonly commandTimeoutMs: number
  readonly storeTimeoutMs: number
  readonly lingerMs: number | 'auto'
}

export type Verdict = ReturnType<typeof check>

/** What a busy machine may add to any bound. */
const GRACE_MS = 1_500
const HAND_OVER_MS = 200
/** From the refusal of a request until the process that keeps the lock has been told of it. */
const TOLD_MS = 50

export function check(episode: Episode, nemesis: Nemesis, topology: TopologyName, times: Times) {
  const { history, left } = episode
  const { watchdogMs, commandTimeoutMs, storeTimeoutMs, lingerMs } = times
  const { lined, inWorkers, tokensOutliveLosses, slowMs, lastsMs, stoppedMs, hungMs } = promisesOf(topology)
  const terms = { watchdogMs, elects: nemesis.elects === true }
  const harmless = nemesis.harmless === true
  const trial = trialOf(history, inWorkers)
  const { calls, faults } = trial
  const promises = { storeTimeoutMs, commandTimeoutMs, graceMs: GRACE_MS }
  const exclusion = checkExclusion(trial, {
    noticeMs: watchdogMs / 3 + GRACE_MS + (faults.some(({ cutsOff }) => cutsOff) ? 2 * commandTimeoutMs : 0),
    handOverMs: HAND_OVER_MS,
    hungMs: hungMs({ watchdogMs }),
  })
  const ofLeaseMs = (leaseMs?: number): number => lastsMs({ ...terms, leaseMs })
  const idleness = checkIdleness(trial, {
    slowMs,
    lastsMs: ofLeaseMs,
    idleMs:
      GRACE_MS +
      // Until a connection is known to be gone, and another is there.
      (harmless ? 0 : 2 * commandTimeoutMs) +
      (nemesis.freezes === true ? stoppedMs(terms) : 0) +
      (nemesis.strays === true || nemesis.endsEarly === true ? watchdogMs : 0),
  })
  const toldMs = lingerMs !== 'auto' && lingerMs > 0 ? TOLD_MS : 0
  const sections: Record<string, number> = {}
  for (const { kind, enteredAt } of calls)
    if (enteredAt !== undefined) sections[kind] = (sections[kind] ?? 0) + 1
  return {
    findings: [
      ...exclusion.findings,
      ...checkRest(episode, trial, { harmless, slowMs }),
      ...checkLateness(trial, promises),
      ...checkOutages(trial, promises, ofLeaseMs),
      ...idleness.findings,
      ...checkStarvation(trial, !lined),
      ...checkFences(calls, tokensOutliveLosses ? [] : faults),
      ...(lined && (harmless || nemesis.keepsPlaces === true)
        ? checkLineOrder(trial, firstLeaseMs(watchdogMs) / 2, toldMs)
        : []),
      ...(harmless || nemesis.keepsHolds === true ? checkLosses(trial) : []),
      ...left,
    ],
    explained: exclusion.explained,
    faults: faults.length,
    sections,
    booked: history.workers.flatMap(({ events }) => events.filter(({ e }) => e === 'booked')).length,
    longestIdleMs: idleness.longestMs,
  }
}
