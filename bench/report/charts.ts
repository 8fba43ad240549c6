import { entryOf } from '../catalog.js'
import type { Figures } from '../measure/figures.js'
import type { Results } from '../measure/results.js'
import { ratioIn, summarise } from '../measure/summary.js'
import { fleetProcesses, fleetScenario, growthProcesses, growthWaiters } from '../scenarios.js'
import { type Bar, drawnBars } from './bars.js'
import { drawnLines, type Line } from './lines.js'
import type { Picture } from './picture.js'
import { simulatedCharts } from './simulated-charts.js'

/** The charts for which a run has figures. */
export function chartsOf(results: Results): Picture[] {
  return [
    ...rates(results, 'burst-1x50', 'Burst: 1 process, 50 waiters, sections of 1 ms'),
    ...rates(results, 'burst-4x25', 'Burst: 4 processes, 25 waiters each, sections of 1 ms'),
    ...fairness(results, 'loop-1x50', 'Loop: 1 process, 50 waiters'),
    ...fairness(results, 'loop-4x25', 'Loop: 4 processes, 25 waiters each'),
    ...growth(results),
    ...fleet(results),
    ...uncontended(results),
    ...simulatedCharts(results),
  ]
}

/** A bar for each library that was measured in that scenario and has that figure. */
export function barsOf(
  results: Results,
  scenario: string,
  pick: (figures: Figures) => number | undefined,
): Bar[] {
  const names = [
    ...new Set(results.cells.filter((cell) => cell.scenario === scenario).map(({ library }) => library)),
  ]
  return names.flatMap((library) => {
    const figures = summarise(results.cells, scenario, library)?.figures
    const value = figures && pick(figures)
    return value === undefined || value <= 0 ? [] : [{ library, value }]
  })
}

function rates(results: Results, scenario: string, title: string): Picture[] {
  const found = barsOf(results, scenario, (figures) => figures.sectionsPerSecond)
  if (found.length === 0) return []
  return [
    {
      name: `${scenario}-rate`,
      caption: title,
      svg: drawnBars({ title, axis: 'sections per second', logarithmic: true, bars: found }),
    },
  ]
}

function fairness(results: Results, scenario: string, title: string): Picture[] {
  const found = barsOf(results, scenario, (figures) => figures.jain)
  if (found.length === 0) return []
  return [
    {
      name: `${scenario}-fairness`,
      caption: `${title}: fairness`,
      svg: drawnBars({
        title: `${title}: fairness`,
        axis: "Jain's index: 1 when all get the same",
        bars: found,
      }),
    },
  ]
}

function uncontended(results: Results): Picture[] {
  const names = [
    ...new Set(
      results.cells.filter(({ scenario }) => scenario === 'sequential').map(({ library }) => library),
    ),
  ]
  const found = names.flatMap((library) => {
    const rate = (figures: Figures): number => figures.sectionsPerSecond
    const ratio = ratioIn(results.cells, 'sequential', [library, 'floor'], rate)
    return ratio === undefined || entryOf(library).sort === 'reference' ? [] : [{ library, value: ratio }]
  })
  if (found.length === 0) return []
  const title = 'Uncontended, one after the other: sections per second, ratio to the floor'
  return [
    {
      name: 'uncontended-ratio',
      caption: title,
      svg: drawnBars({ title, axis: 'ratio to the floor', mark: 1, bars: found }),
    },
  ]
}

function growth(results: Results): Picture[] {
  const names = [
    ...new Set(
      results.cells.filter(({ scenario }) => scenario.startsWith('growth-')).map(({ library }) => library),
    ),
  ]
  const lines = names.flatMap((name) =>
    growthProcesses.map((processes): Line => {
      const points = growthWaiters.flatMap((waiters) => {
        const cost = summarise(results.cells, `growth-${processes}x${waiters}`, name)?.figures
          ?.commandsPerSection
        return cost === undefined || cost <= 0 ? [] : [[waiters, cost] as const]
      })
      const title = `${entryOf(name).title}, ${processes} ${processes === 1 ? 'process' : 'processes'}`
      return { title, ours: name === 'holdfast', dashed: processes > 1, points }
    }),
  )
  const drawable = lines.filter(({ points }) => points.length > 1)
  if (drawable.length === 0) return []
  const title = 'Commands per section as waiters grow'
  return [
    {
      name: 'growth-commands',
      caption: title,
      svg: drawnLines({
        title,
        across: 'waiters in each process',
        up: 'commands per section',
        lines: drawable,
      }),
    },
  ]
}

function fleet(results: Results): Picture[] {
  const lines = ['holdfast', 'holdfast-off', 'holdfast-fair', 'rueidislock', 'redisson-fair'].flatMap(
    (name): Line[] => {
      const points = fleetProcesses.flatMap((processes) => {
        const cost = summarise(results.cells, fleetScenario(processes), name)?.figures?.commandsPerSection
        return cost === undefined || cost <= 0 ? [] : [[processes, cost] as const]
      })
      const { title, sort } = entryOf(name)
      return points.length > 1
        ? [{ title, ours: sort === 'ours', dashed: name === 'holdfast-fair', points }]
        : []
    },
  )
  if (lines.length === 0) return []
  const title = 'Commands per section as processes grow'
  const across = 'processes, one waiter in each'
  return [
    {
      name: 'fleet-commands',
      caption: title,
      svg: drawnLines({ title, across, up: 'commands per section', lines }),
    },
  ]
}
