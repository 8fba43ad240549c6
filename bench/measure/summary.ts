import type { Figures } from './figures.js'
import { median } from './percentile.js'
import type { CellResult } from './results.js'

/** One library in one scenario, over all rounds. */
export interface Summary {
  readonly scenario: string
  readonly library: string
  readonly version: string
  /** How many rounds were measured. */
  readonly rounds: number
  /** `undefined` when no round was measured. */
  readonly figures: Figures | undefined
  /** Why a round was not measured; one entry for each reason. */
  readonly troubles: readonly string[]
}

export function summarise(
  cells: readonly CellResult[],
  scenario: string,
  library: string,
): Summary | undefined {
  const own = cells.filter((cell) => cell.scenario === scenario && cell.library === library)
  if (own.length === 0) return undefined
  const measured: Figures[] = []
  const troubles = new Set<string>()
  let version = ''
  for (const { result } of own) {
    if (result.outcome === 'measured') {
      measured.push(result.figures)
      version = result.version
    } else troubles.add(`${result.outcome}: ${result.why}`)
  }
  return {
    scenario,
    library,
    version,
    rounds: measured.length,
    figures: middleOf(measured),
    troubles: [...troubles],
  }
}

/** The median of each figure; of what must not happen (overlaps, waiters who gave up or starved) the most. */
export function middleOf(rounds: readonly Figures[]): Figures | undefined {
  const [first] = rounds
  if (first === undefined) return undefined
  const middle = (pick: (figures: Figures) => number): number => median(rounds.map(pick)) ?? 0
  const some = (pick: (figures: Figures) => number | undefined): number | undefined =>
    median(rounds.map(pick).filter((value) => value !== undefined))
  const most = (pick: (figures: Figures) => number): number => Math.max(...rounds.map(pick))
  return {
    sections: middle((figures) => figures.sections),
    elapsedMs: middle((figures) => figures.elapsedMs),
    sectionsPerSecond: middle((figures) => figures.sectionsPerSecond),
    gapP50Ms: some((figures) => figures.gapP50Ms),
    gapP99Ms: some((figures) => figures.gapP99Ms),
    crossingP50Ms: some((figures) => figures.crossingP50Ms),
    crossings: middle((figures) => figures.crossings),
    commandsPerSection: some((figures) => figures.commandsPerSection),
    messagesPerSection: some((figures) => figures.messagesPerSection),
    roundTripsPerSection: some((figures) => figures.roundTripsPerSection),
    clientUsPerSection: some((figures) => figures.clientUsPerSection),
    serverUsPerSection: some((figures) => figures.serverUsPerSection),
    jain: some((figures) => figures.jain),
    secondShare: some((figures) => figures.secondShare),
    starved: most((figures) => figures.starved),
    worstWaitMs: most((figures) => figures.worstWaitMs),
    waitP50Ms: some((figures) => figures.waitP50Ms),
    overlaps: most((figures) => figures.overlaps),
    gaveUp: most((figures) => figures.gaveUp),
    maxRssMb: middle((figures) => figures.maxRssMb),
    errors: [...new Set(rounds.flatMap((figures) => figures.errors))].slice(0, 3),
  }
}

/** A library in a scenario. */
export interface CellName {
  readonly scenario: string
  readonly library: string
}

/**
 * How many times the one's figure is the other's. Where both were measured in the same rounds it is the median of the rounds'
 * ratios, so that a machine that is slower in one round is so for both.
 */
export function ratioOf(
  cells: readonly CellResult[],
  [one, other]: readonly [CellName, CellName],
  pick: (figures: Figures) => number | undefined,
): number | undefined {
  const figureOf = ({ scenario, library }: CellName, round: number): number | undefined => {
    const cell = cells.find(
      (own) => own.scenario === scenario && own.library === library && own.round === round,
    )
    return cell?.result.outcome === 'measured' ? pick(cell.result.figures) : undefined
  }
  const rounds = [...new Set(cells.map(({ round }) => round))]
  const pairs = rounds.map((round) => [figureOf(one, round), figureOf(other, round)] as const)
  const ratios = pairs.flatMap(([a, b]) => (a === undefined || b === undefined || b === 0 ? [] : [a / b]))
  return median(ratios)
}

/** The same of two libraries in one scenario. */
export function ratioIn(
  cells: readonly CellResult[],
  scenario: string,
  [one, other]: readonly [string, string],
  pick: (figures: Figures) => number | undefined,
): number | undefined {
  return ratioOf(
    cells,
    [
      { scenario, library: one },
      { scenario, library: other },
    ],
    pick,
  )
}
