import { quotient } from './gate.js'
import type { Figures } from './measure/figures.js'
import type { CellResult } from './measure/results.js'
import { summarise } from './measure/summary.js'
import { type FAIR_PING, type FAIR_PING_RESTED, fairScenario } from './scenarios.js'

/** What a hand-over is told in: round trips back to back, or of a process that has slept as long as a section before. */
export type RoundTrip = typeof FAIR_PING | typeof FAIR_PING_RESTED

/** The p50 of a round trip, measured in the same run as the fair lock. */
export function roundTripMs(cells: readonly CellResult[], of: RoundTrip): number | undefined {
  return summarise(cells, of, 'ping')?.figures?.waitP50Ms
}

export function fairFigures(
  cells: readonly CellResult[],
  processes: number,
  library: string,
): Figures | undefined {
  return summarise(cells, fairScenario(processes), library)?.figures
}

/** From one process's section to the next one's, p50, in round trips. */
export function handOverRoundTrips(
  cells: readonly CellResult[],
  figures: Figures | undefined,
  of: RoundTrip,
): number | undefined {
  return quotient(figures?.crossingP50Ms, roundTripMs(cells, of))
}
