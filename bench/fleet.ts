import { allAtLeast, allAtMost, atLeast, atMost, doNotGrow, type Gate, quotient } from './gate.js'
import type { Figures } from './measure/figures.js'
import type { CellResult } from './measure/results.js'
import { ratioIn, ratioOf, summarise } from './measure/summary.js'
import { bestPeer } from './peers.js'
import { FLEET_PING, FLEET_PING_RESTED, fleetScenario } from './scenarios.js'

/** What a hand-over is told in: round trips back to back, or of a process that has slept as long as a section before. */
export type RoundTrip = typeof FLEET_PING | typeof FLEET_PING_RESTED

/** The numbers of processes that the gates compare. */
const few = 2
const more = 8
const most = 32
const compared = [few, more, most] as const
const ROUND_TRIPS = 3
/** A release tells all that wait, and they race. */
const BROADCASTS = 'node-redisson'
/** In strict order a place in line costs one command and a release another; a start and an end of the line cost a subscription and a second look. */
const FAIR_COMMANDS = 2.2
/** By habit most sections cost none. */
const COMMANDS = 0.3
/**
 * A release tells one process. One that finds nobody in line (with two processes, when the other was slow to ask again) is announced
 * to all that listen.
 */
const WOKEN = 1.05
/** A process keeps the lock for a slice, then the others have their turns. */
const SLICE_MS = 25

/** The p50 of a round trip, measured in the same run as the fleet. */
export function roundTripMs(cells: readonly CellResult[], of: RoundTrip): number | undefined {
  return summarise(cells, of, 'ping')?.figures?.waitP50Ms
}

/** From one process's section to the next one's, p50, in round trips. */
export function handOverRoundTrips(
  cells: readonly CellResult[],
  figures: Figures | undefined,
  of: RoundTrip,
): number | undefined {
  return quotient(figures?.crossingP50Ms, roundTripMs(cells, of))
}

/** What the plain and the fair lock must reach where each process has one waiter. */
export function fleetGates(cells: readonly CellResult[]): Gate[] {
  return [
    ...lineGates(cells, 'holdfast', 'fleet', COMMANDS),
    ...growthGates(cells),
    ...pollerGates(cells),
    ...lineGates(cells, 'holdfast-fair', 'fair fleet', FAIR_COMMANDS),
    ...handOverGates(cells),
  ]
}

/** Against the fastest library that polls: it pays with the waits of the others. */
function pollerGates(cells: readonly CellResult[]): Gate[] {
  const over = (processes: number, pick: (figures: Figures) => number | undefined): number | undefined => {
    const scenario = fleetScenario(processes)
    const best = bestPeer(cells, scenario, (name) => name !== BROADCASTS)
    return best === undefined ? undefined : ratioIn(cells, scenario, ['holdfast', best], pick)
  }
  const sizes = [few, 16, most]
  const rates = sizes.map((processes) => over(processes, (figures) => figures.sectionsPerSecond))
  const costs = sizes.slice(1).map((processes) => over(processes, (figures) => figures.clientUsPerSection))
  const waits = sizes.map((processes) =>
    quotient(figuresWith(cells, processes, 'holdfast')?.worstWaitMs, processes * SLICE_MS),
  )
  const what = `fleet ${sizes.map((processes) => `${processes}x1`).join(', ')}`
  return [
    allAtLeast(`${what}: sections/s over those of the fastest library that polls`, [0.98, 1, 1], rates),
    allAtMost('… client CPU per section over its, 16x1, 32x1', 0.6, costs),
    allAtMost(`${what}: longest wait over a slice for each process`, 1.5, waits),
  ]
}

function lineGates(
  cells: readonly CellResult[],
  library: string,
  fleet: string,
  mostCommands: number,
): Gate[] {
  const each = (pick: (figures: Figures) => number | undefined): (number | undefined)[] =>
    compared.map((processes) => {
      const figures = figuresWith(cells, processes, library)
      return figures && pick(figures)
    })
  const commands = each((figures) => figures.commandsPerSection)
  const what = `${fleet} ${compared.map((processes) => `${processes}x1`).join(', ')}`
  return [
    allAtMost(`${what}: commands per section`, mostCommands, commands),
    doNotGrow(`${what}: commands per section`, commands),
    allAtMost(
      `${what}: processes woken per release`,
      WOKEN,
      each((figures) => figures.messagesPerSection),
    ),
    allAtLeast(
      `${what}: Jain's index`,
      0.98,
      each((figures) => figures.jain),
    ),
    allAtMost(
      `${what}: waiters starved`,
      0,
      each((figures) => figures.starved),
    ),
  ]
}

function growthGates(cells: readonly CellResult[]): Gate[] {
  const between = (
    one: number,
    other: number,
    pick: (figures: Figures) => number | undefined,
  ): number | undefined =>
    ratioOf(
      cells,
      [
        { scenario: fleetScenario(one), library: 'holdfast' },
        { scenario: fleetScenario(other), library: 'holdfast' },
      ],
      pick,
    )
  return [
    atLeast(
      `fleet: sections/s with ${most} processes, over those with ${few}`,
      0.75,
      between(most, few, (figures) => figures.sectionsPerSecond),
    ),
    atMost(
      `fleet: client CPU per section with ${most} processes, over that with ${more}`,
      1.3,
      between(most, more, (figures) => figures.clientUsPerSection),
    ),
  ]
}

function handOverGates(cells: readonly CellResult[]): Gate[] {
  const figures = figuresWith(cells, few, 'holdfast-fair')
  const over = (pick: (figures: Figures) => number | undefined): number | undefined =>
    ratioIn(cells, fleetScenario(few), ['holdfast-fair', BROADCASTS], pick)
  return [
    atLeast(
      `fair fleet ${few}x1: sections/s over those of node-redisson`,
      1.05,
      over((each) => each.sectionsPerSecond),
    ),
    atMost(
      '… client CPU per section over its',
      0.8,
      over((each) => each.clientUsPerSection),
    ),
    atMost(
      `fair fleet ${few}x1: hand-over, p50 in round trips`,
      ROUND_TRIPS,
      handOverRoundTrips(cells, figures, FLEET_PING),
    ),
    atMost(
      'the same in round trips of a process that has slept for a section before',
      ROUND_TRIPS,
      handOverRoundTrips(cells, figures, FLEET_PING_RESTED),
    ),
  ]
}

function figuresWith(cells: readonly CellResult[], processes: number, library: string): Figures | undefined {
  return summarise(cells, fleetScenario(processes), library)?.figures
}
