import type { Figures } from '../../bench/measure/figures.js'
import type { CellResult } from '../../bench/measure/results.js'

const nothing: Figures = {
  sections: 1_000,
  elapsedMs: 1_000,
  sectionsPerSecond: 1_000,
  gapP50Ms: undefined,
  gapP99Ms: undefined,
  crossingP50Ms: undefined,
  crossings: 0,
  commandsPerSection: undefined,
  clientUsPerSection: undefined,
  serverUsPerSection: undefined,
  jain: 1,
  starved: 0,
  worstWaitMs: 0,
  waitP50Ms: undefined,
  overlaps: 0,
  gaveUp: 0,
  maxRssMb: 0,
  errors: [],
}

/** What came of a library in a scenario: these figures, and the others as if nothing had happened. */
export function cell(scenario: string, library: string, figures: Partial<Figures>, round = 0): CellResult {
  const result = { outcome: 'measured', version: '1', figures: { ...nothing, ...figures } } as const
  return { scenario, library, round, tookMs: 0, result }
}
