import {
  allAtLeast,
  allAtMost,
  atLeast,
  atMost,
  doNotGrow,
  type Gate,
  quotient,
  shown,
  unless,
} from './gate.js'
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
/** Who polls and has less serves some of the processes for most of the time. */
const FAIR_JAIN = 0.9
const WHY_SLOWER = 'see [what a hand-over costs](acquire-loop.md#what-a-hand-over-between-processes-costs)'
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

type Take = (figures: Figures) => number | undefined

/** What the plain and the fair lock must reach where each process has one waiter. */
export function fleetGates(cells: readonly CellResult[]): Gate[] {
  return [
    ...lineGates(cells, 'holdfast', 'fleet', COMMANDS),
    ...growthGates(cells),
    ...pollerGates(cells),
    ...lineGates(cells, 'holdfast-fair', 'fair fleet', FAIR_COMMANDS),
    doNotGrow(
      'fair fleet: commands per section',
      compared.map((processes) => figuresWith(cells, processes, 'holdfast-fair')?.commandsPerSection),
    ),
    ...handOverGates(cells),
  ]
}

/** Against the fastest library that polls: it pays with the waits of the others. */
function pollerGates(cells: readonly CellResult[]): Gate[] {
  const sizes = [few, 16, most]
  const over = (processes: number, pick: Take): number | undefined =>
    overPoller(cells, processes, fastestPoller(cells, processes), pick)
  const rate: Take = (figures) => figures.sectionsPerSecond
  const cost: Take = (figures) => figures.clientUsPerSection
  const waits = sizes.map((processes) =>
    quotient(figuresWith(cells, processes, 'holdfast')?.worstWaitMs, processes * SLICE_MS),
  )
  const what = `fleet ${sizes.map((processes) => `${processes}x1`).join(', ')}`
  return [
    unless(
      allAtLeast(
        `${what}: sections/s over those of the fastest library that polls`,
        [0.98, 1, 1],
        sizes.map((processes) => over(processes, rate)),
      ),
      besideUnfair(cells, 16, rate),
    ),
    unless(
      allAtMost(
        '… client CPU per section over its, 16x1, 32x1',
        0.6,
        sizes.slice(1).map((processes) => over(processes, cost)),
      ),
      [besideUnfair(cells, 16, cost), WHY_SLOWER].filter((why) => why !== undefined).join('; '),
    ),
    allAtMost(`${what}: longest wait over a slice for each process`, 1.5, waits),
  ]
}

function fastestPoller(cells: readonly CellResult[], processes: number, leastJain = 0): string | undefined {
  return bestPeer(
    cells,
    fleetScenario(processes),
    (name) => name !== BROADCASTS && jainOf(cells, processes, name) >= leastJain,
  )
}

function jainOf(cells: readonly CellResult[], processes: number, library: string): number {
  return figuresWith(cells, processes, library)?.jain ?? 0
}

function overPoller(
  cells: readonly CellResult[],
  processes: number,
  poller: string | undefined,
  pick: Take,
): number | undefined {
  return poller === undefined
    ? undefined
    : ratioIn(cells, fleetScenario(processes), ['holdfast', poller], pick)
}

/** What the gate would be without those who serve few: that is fast, and costs less. */
function besideUnfair(cells: readonly CellResult[], processes: number, pick: Take): string | undefined {
  const fastest = fastestPoller(cells, processes)
  const jain = fastest === undefined ? 1 : jainOf(cells, processes, fastest)
  if (jain >= FAIR_JAIN) return undefined
  const fair = fastestPoller(cells, processes, FAIR_JAIN)
  const ratio = shown(overPoller(cells, processes, fair, pick))
  return `with ${processes}, ${fastest} has Jain's index ${shown(jain)}; over ${fair}, the fastest with ${FAIR_JAIN} or more: ${ratio}`
}

function lineGates(
  cells: readonly CellResult[],
  library: string,
  fleet: string,
  mostCommands: number,
): Gate[] {
  const each = (pick: Take): (number | undefined)[] =>
    compared.map((processes) => {
      const figures = figuresWith(cells, processes, library)
      return figures && pick(figures)
    })
  const commands = each((figures) => figures.commandsPerSection)
  const what = `${fleet} ${compared.map((processes) => `${processes}x1`).join(', ')}`
  return [
    allAtMost(`${what}: commands per section`, mostCommands, commands),
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
  const between = (one: number, other: number, pick: Take): number | undefined =>
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
    unless(
      atMost(
        `fleet: client CPU per section with ${most} processes, over that with ${more}`,
        1.3,
        between(most, more, (figures) => figures.clientUsPerSection),
      ),
      WHY_SLOWER,
    ),
  ]
}

function handOverGates(cells: readonly CellResult[]): Gate[] {
  const figures = figuresWith(cells, few, 'holdfast-fair')
  const over = (library: string, pick: Take): number | undefined =>
    ratioIn(cells, fleetScenario(few), [library, BROADCASTS], pick)
  const rate: Take = (each) => each.sectionsPerSecond
  const least = `two raw scripts and a message, in the same order: ${shown(over('in-turn', rate))}`
  return [
    unless(
      atLeast(
        `fair fleet ${few}x1: sections/s over those of node-redisson`,
        1.05,
        over('holdfast-fair', rate),
      ),
      `${least}; ${WHY_SLOWER}`,
    ),
    ...[
      atMost(
        '… client CPU per section over its',
        0.8,
        over('holdfast-fair', (each) => each.clientUsPerSection),
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
    ].map((gate) => unless(gate, WHY_SLOWER)),
  ]
}

function figuresWith(cells: readonly CellResult[], processes: number, library: string): Figures | undefined {
  return summarise(cells, fleetScenario(processes), library)?.figures
}
