import { entryOf } from '../catalog.js'
import type { Entry } from '../entry.js'
import type { Scenario } from '../scenario.js'
import { rotated } from './rounds.js'

/** A cell that is to be run. */
export interface PlannedCell {
  readonly scenario: Scenario
  readonly entry: Entry
  readonly round: number
}

/** All cells of a run in their order: round by round, scenario by scenario, the libraries in another order each time. */
export function planned(
  scenarios: readonly Scenario[],
  rounds: number,
  wanted: readonly string[] | undefined,
): PlannedCell[] {
  return Array.from({ length: rounds }, (_, round) =>
    scenarios.flatMap((scenario) => {
      const libraries = scenario.libraries.filter(
        (name) =>
          (wanted === undefined || wanted.includes(name)) &&
          (round === 0 || !scenario.onceOnly.includes(name)),
      )
      return rotated(libraries, round, rounds).map((name) => ({ scenario, entry: entryOf(name), round }))
    }),
  ).flat()
}

/** What a cell is expected to take on two cores: starting, warming up, the work. */
export function expectedMs({ scenario, entry }: PlannedCell): number {
  const starting = { node: 300, jvm: 7_000, go: 300 }[entry.runtime]
  const perProcess = { node: 300, jvm: 4_000, go: 50 }[entry.runtime]
  return starting + perProcess * scenario.processes + warmUpMs(scenario) + workMs(scenario, entry)
}

function warmUpMs({ kind }: Scenario): number {
  return kind === 'burst' || kind === 'loop' ? 3_000 : 500
}

function workMs(scenario: Scenario, entry: Entry): number {
  if (scenario.kind !== 'burst') return scenario.durationMs + scenario.giveUpMs / 2
  const waiters = scenario.processes * scenario.waiters
  const polls = entry.sort === 'peer' || entry.sort === 'floor'
  const each = !polls ? 1 : entry.slow === true ? 200 : 10
  return Math.min(waiters * each, entry.slow === true ? scenario.slowGiveUpMs : scenario.giveUpMs)
}
