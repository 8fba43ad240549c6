import type { Blocked, HeldLocks } from './drivers/programs.js'
import { fleetGates } from './fleet.js'
import { allAtLeast, allAtMost, atLeast, atMost, doNotGrow, type Gate, ifThere, quotient } from './gate.js'
import type { Figures } from './measure/figures.js'
import type { Answer, CellResult, Results } from './measure/results.js'
import { ratioIn, summarise } from './measure/summary.js'
import { bestPeer } from './peers.js'
import { BESIDE_REDISSON, growthProcesses, growthWaiters } from './scenarios.js'
import type { FleetFigures } from './simulated/order.js'

const ROUND_TRIPS = 3

/**
 * What the line-ups came to before processes stood in one line (docs/benchmarks.md of 2026-11-21): sections/s and client CPU per
 * section over the floor's, commands per section.
 */
const before = [
  { scenario: 'burst-1x50', rate: 6.9, cpu: 0.12, commands: 0.16 },
  { scenario: 'loop-1x50', rate: 1.24, cpu: 0.32, commands: 0.089 },
  { scenario: 'burst-4x25', rate: 3.3, cpu: 0.34, commands: 0.43 },
  { scenario: 'loop-4x25', rate: 1.34, cpu: 0.25, commands: 0.236 },
] as const
const lineUps = before.map(({ scenario }) => scenario.replace('-', ' ')).join(', ')
/** By how much two runs of the same code differ. */
const CHANCE = 1.1

/** The gates, worked out from what a run has found. */
export function gatesOf({
  cells,
  blocked,
  heldLocks,
  simulated,
}: Pick<Results, 'cells' | 'blocked'> & Partial<Pick<Results, 'heldLocks' | 'simulated'>>): Gate[] {
  const figures = (scenario: string, library = 'holdfast'): Figures | undefined =>
    summarise(cells, scenario, library)?.figures
  const over = (
    scenario: string,
    other: string,
    pick: (figures: Figures) => number | undefined,
  ): number | undefined => ratioIn(cells, scenario, ['holdfast', other], pick)
  const rate = (scenario: string, other: string): number | undefined =>
    over(scenario, other, (found) => found.sectionsPerSecond)
  const cpu = (scenario: string): number | undefined =>
    over(scenario, 'floor', (found) => found.clientUsPerSection)
  const aheadOfPeers = (scenario: string): number | undefined => {
    const best = bestPeer(cells, scenario)
    return best === undefined ? undefined : rate(scenario, best)
  }
  const pingMs = ifThere(figures('sequential', 'ping'), (found) => 1_000 / found.sectionsPerSecond)
  const restedPingMs = figures('rested', 'ping-rested')?.waitP50Ms
  const crossing = figures('burst-4x25')?.crossingP50Ms
  const plain = (pick: (figures: Figures) => number | undefined): number | undefined =>
    ratioIn(cells, 'sequential', ['holdfast-off', 'floor'], pick)
  const perSectionUs = (scenario: string): number | undefined =>
    ifThere(figures(scenario), (found) => 1e6 / found.sectionsPerSecond)
  const none = (scenario: string): number | undefined => figures(scenario)?.starved

  return [
    atLeast('uncontended, one after the other: times the floor', 30, rate('sequential', 'floor')),
    atMost('… commands per section', 0.05, figures('sequential')?.commandsPerSection),
    atLeast(
      '… without lingering: ratio to the floor',
      0.95,
      plain((found) => found.sectionsPerSecond),
    ),
    atMost(
      '… client CPU per section, over that of the floor',
      1.1,
      plain((found) => found.clientUsPerSection),
    ),
    atLeast('uncontended, a new name each time: ratio to the floor', 0.93, rate('fresh', 'floor')),
    atMost('… client CPU per section, over that of the floor', 1.15, cpu('fresh')),
    atLeast('uncontended, 64 keys: ratio to the floor', 0.92, rate('keys', 'floor')),
    atMost('… client CPU per section, over that of the floor', 1.25, cpu('keys')),
    atMost('burst 1x50: time over that of back-to-back timers', 1.1, inverse(rate('burst-1x50', 'timers'))),
    atMost('burst 1x50: commands per section', 0.2, figures('burst-1x50')?.commandsPerSection),
    atLeast("burst 1x50: Jain's index", 1, figures('burst-1x50')?.jain),
    atLeast("loop 1x50: Jain's index", 0.99, figures('loop-1x50')?.jain),
    atMost('loop 1x50: waiters starved', 0, none('loop-1x50')),
    atLeast('burst 1x50, empty sections: times the best peer', 20, aheadOfPeers('burst-1x50-empty')),
    atMost('burst 1x50, empty sections: µs per section', 10, perSectionUs('burst-1x50-empty')),
    atLeast('loop 1x50, empty sections: times the best peer', 20, aheadOfPeers('loop-1x50-empty')),
    atMost('loop 1x50, empty sections: µs per section', 10, perSectionUs('loop-1x50-empty')),
    atLeast('burst 4x25: times the best peer', 2.5, aheadOfPeers('burst-4x25')),
    atMost('burst 4x25: commands per section', 1, figures('burst-4x25')?.commandsPerSection),
    atMost(
      'burst 4x25: hand-over between processes, p50 in round trips',
      ROUND_TRIPS,
      quotient(crossing, pingMs),
    ),
    atMost(
      'the same in round trips of a process that has slept as long before',
      ROUND_TRIPS,
      quotient(crossing, restedPingMs),
    ),
    atLeast('burst 4x25: sections/s over those of rueidislock', 1, rate('burst-4x25', 'rueidislock')),
    atMost(
      '… commands per section, over those of rueidislock',
      0.1,
      over('burst-4x25', 'rueidislock', (found) => found.commandsPerSection),
    ),
    atLeast("loop 4x25: Jain's index over all 100 waiters", 0.95, figures('loop-4x25')?.jain),
    atMost('loop 4x25: waiters starved', 0, none('loop-4x25')),
    allAtLeast(
      `${lineUps}: sections/s over the floor's, no worse than before the line`,
      before.map((was) => round(was.rate / CHANCE)),
      before.map(({ scenario }) => rate(scenario, 'floor')),
    ),
    allAtMost(
      '… client CPU per section',
      before.map((was) => round(was.cpu * CHANCE)),
      before.map(({ scenario }) => cpu(scenario)),
    ),
    allAtMost(
      '… commands per section',
      before.map((was) => round(was.commands * CHANCE)),
      before.map(({ scenario }) => figures(scenario)?.commandsPerSection),
    ),
    ...growthProcesses.map((processes) => growthGate(cells, processes)),
    ...['sequential', 'keys', 'burst-4x25', 'loop-4x25'].map((scenario) =>
      atLeast(`${scenario}: ratio to Redisson on the JVM`, 1, rate(scenario, 'redisson')),
    ),
    ...fleetGates(cells),
    ...besideGates(cells),
    ...heldGates(heldLocks),
    ...simulatedGates(simulated),
    ...blockedGates(blocked),
  ]
}

/** Commands per section with many waiters in a process, against those with one. */
function growthGate(cells: readonly CellResult[], processes: number): Gate {
  const costs = growthWaiters.map(
    (waiters) => summarise(cells, `growth-${processes}x${waiters}`, 'holdfast')?.figures?.commandsPerSection,
  )
  const crew = `${processes} ${processes === 1 ? 'process' : 'processes'}`
  return doNotGrow(
    `growth, ${crew} with ${growthWaiters.join(', ')} waiters each: commands per section`,
    costs,
  )
}

function heldGates(answer: Answer<HeldLocks> | undefined): Gate[] {
  const held = answer === undefined || 'failed' in answer ? undefined : answer
  return [
    atMost('100 000 held locks: bytes each', 1_000, held?.bytesPerLock),
    atMost('… share of a core', 0.1, held?.shareOfCore),
    atMost('… lost', 0, held?.lost),
  ]
}

/** Of the largest fleet with ten callers in each process. */
function simulatedGates(answers: readonly Answer<FleetFigures>[] = []): Gate[] {
  const found = answers.find(
    (answer): answer is FleetFigures =>
      'sections' in answer && answer.processes === 1_000 && answer.callers === 10,
  )
  return [
    atMost('simulated 1 000 x 10: commands per section', 0.3, found?.commandsPerSection),
    atMost('… starved', 0, found?.starved),
  ]
}

/** On one lock each side is half of the waiters. */
function besideGates(cells: readonly CellResult[]): Gate[] {
  const both = 'redisson-and-holdfast'
  const share = summarise(cells, BESIDE_REDISSON, both)?.figures?.secondShare
  return [
    atLeast(
      'Redisson and Holdfast on one lock: sections of whichever got less, of all',
      0.25,
      ifThere(share, (ours) => Math.min(ours, 1 - ours)),
    ),
    atLeast(
      'the same: total over that of Redisson alone',
      1,
      ratioIn(cells, BESIDE_REDISSON, [both, 'redisson'], (found) => found.sectionsPerSecond),
    ),
  ]
}

function blockedGates(answers: readonly Answer<unknown>[]): Gate[] {
  const of = (watchdogThread: boolean): Blocked | undefined =>
    answers.filter(isBlocked).find((answer) => answer.watchdogThread === watchdogThread)
  const on = of(true)
  const off = of(false)
  return [
    {
      what: 'main thread blocked for 3 leases, watchdog in a thread: lock kept, signal not aborted',
      needed: 'yes',
      reached: on === undefined ? 'not measured' : on.heldAtFirstCheck && on.keyThere ? 'kept' : 'lost',
      ok: ifThere(
        on,
        (found) =>
          found.heldAtFirstCheck && !found.abortedAtFirstCheck && !found.abortedSoonAfter && found.keyThere,
      ),
    },
    {
      what: 'main thread blocked for 3 leases, without: lost, and known at the first check',
      needed: 'yes',
      reached:
        off === undefined
          ? 'not measured'
          : off.heldAtFirstCheck
            ? 'taken for held'
            : 'known at the first check',
      ok: ifThere(off, (found) => !found.heldAtFirstCheck),
    },
  ]
}

function isBlocked(answer: unknown): answer is Blocked {
  return typeof answer === 'object' && answer !== null && 'heldAtFirstCheck' in answer
}

function inverse(value: number | undefined): number | undefined {
  return ifThere(value, (ratio) => 1 / ratio)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
