import { fairFigures, handOverRoundTrips, type RoundTrip } from './fair.js'
import { atMost, type Gate, quotient } from './gate.js'
import type { Figures } from './measure/figures.js'
import type { CellResult } from './measure/results.js'
import { FAIR_PING, FAIR_PING_RESTED, fairProcesses } from './scenarios.js'

const ROUND_TRIPS = 3
/**
 * What counts may be above what they should be. A release that finds nobody in line (with two processes, when the other was slow
 * to ask again) is announced to all that listen.
 */
const TOLERANCE = 1.05

/** What the fair lock must reach. */
export function fairGates(cells: readonly CellResult[]): Gate[] {
  const of = (processes: number): Figures | undefined => fairFigures(cells, processes, 'holdfast-fair')
  const [few] = fairProcesses
  const many = fairProcesses[fairProcesses.length - 1] ?? few
  const handOver = (trip: RoundTrip): number | undefined => handOverRoundTrips(cells, of(few), trip)
  return [
    ...fairProcesses.map((processes) =>
      atMost(
        `fair lock, ${processes} processes: processes woken per release`,
        TOLERANCE,
        of(processes)?.messagesPerSection,
      ),
    ),
    atMost(`fair lock, ${few} processes: hand-over, p50 in round trips`, ROUND_TRIPS, handOver(FAIR_PING)),
    atMost(
      'the same in round trips of a process that has slept for a section before',
      ROUND_TRIPS,
      handOver(FAIR_PING_RESTED),
    ),
    atMost(
      `fair lock: commands per section with ${many} processes, over those with ${few}`,
      TOLERANCE,
      quotient(of(many)?.commandsPerSection, of(few)?.commandsPerSection),
    ),
  ]
}
