import type { Figures } from '../measure/figures.js'
import type { Results } from '../measure/results.js'
import { summarise } from '../measure/summary.js'
import { type Bar, drawnBars } from '../report/bars.js'
import { barsOf } from '../report/charts.js'
import { drawnLines, type Line } from '../report/lines.js'
import type { Picture } from '../report/picture.js'
import { places, storeGrowth, storeGrowthProcesses, storeGrowthWaiters } from './scenarios.js'
import { figureOf } from './side-by-side.js'

/** The charts for which a run has figures. */
export function storeChartsOf(results: Results): Picture[] {
  return [
    ...places.flatMap(({ place, title }) => [
      ...burst(results, place, title),
      ...statements(results, place, title),
    ]),
    ...growth(results),
    ...sideBySideCharts(results),
  ]
}

function burst(results: Results, place: string, system: string): Picture[] {
  const bars = barsOf(results, `${place}-burst-4x25`, (figures) => figures.sectionsPerSecond)
  if (bars.length < 2) return []
  const title = `${system}: 4 processes, 25 waiters each, sections of 1 ms`
  return [
    {
      name: `stores-${place}-burst-4x25-rate`,
      caption: title,
      svg: drawnBars({ title, axis: 'sections per second', logarithmic: true, bars }),
    },
  ]
}

function statements(results: Results, place: string, system: string): Picture[] {
  // In files only one of them runs statements, and Redis, ZooKeeper and memcached have nothing to compare with.
  if (place === 'sqlite') return []
  const bars = barsOf(results, `${place}-burst-4x25`, (figures) => figures.commandsPerSection)
  if (bars.length < 2) return []
  const title = `${system}, the same: statements per section`
  return [
    {
      name: `stores-${place}-burst-4x25-statements`,
      caption: title,
      svg: drawnBars({ title, axis: 'statements per section', logarithmic: true, bars }),
    },
  ]
}

function growth(results: Results): Picture[] {
  const lines = places.flatMap(({ place, title }) =>
    storeGrowthProcesses.flatMap((processes): Line[] => {
      const points = storeGrowthWaiters.flatMap((waiters) => {
        const cost = summarise(results.cells, storeGrowth(place, processes, waiters), 'holdfast-store')
          ?.figures?.commandsPerSection
        return cost === undefined || cost <= 0 ? [] : [[waiters, cost] as const]
      })
      const name = `${title}, ${processes} ${processes === 1 ? 'process' : 'processes'}`
      return points.length > 1 ? [{ title: name, ours: true, dashed: processes > 1, points }] : []
    }),
  )
  if (lines.length === 0) return []
  const title = 'Holdfast: statements per section as waiters grow'
  return [
    {
      name: 'stores-growth-statements',
      caption: title,
      svg: drawnLines({ title, across: 'waiters in each process', up: 'statements per section', lines }),
    },
  ]
}

/** Charts of all stores, one bar for each. */
export function sideBySideCharts(results: Results): Picture[] {
  return [
    chart(
      results,
      'uncontended',
      'Uncontended: one client, one after the other',
      'sequential',
      'sections per second',
      (figures) => figures.sectionsPerSecond,
    ),
    chart(
      results,
      'burst',
      'Burst: 4 processes, 25 waiters each, sections of 1 ms',
      'burst-4x25',
      'sections per second',
      (figures) => figures.sectionsPerSecond,
    ),
    chart(
      results,
      'hand-over',
      'Between processes: 8 processes, one waiter each, sections of 1 ms',
      'fleet-8x1',
      'from the end of a section to the next, p50, ms',
      (figures) => figures.crossingP50Ms,
    ),
  ].flat()
}

function chart(
  results: Results,
  name: string,
  title: string,
  scenario: string,
  axis: string,
  take: (figures: Figures) => number | undefined,
): Picture[] {
  const bars = places.flatMap(({ place, title: store }): Bar[] => {
    const value = figureOf(results, place, scenario, take)
    return value === undefined || value <= 0 ? [] : [{ library: 'holdfast-store', title: store, value }]
  })
  if (bars.length === 0) return []
  return [
    {
      name: `side-by-side-${name}`,
      caption: title,
      svg: drawnBars({ title, axis, logarithmic: true, bars }),
    },
  ]
}
