import type { Figures } from '../measure/figures.js'
import type { Results, TakeOver } from '../measure/results.js'
import { summarise } from '../measure/summary.js'
import { picture } from '../report/document.js'
import { shownNumber } from '../report/number.js'
import type { Picture } from '../report/picture.js'
import { markdown } from '../report/tables.js'
import { MEMORY, type PlaceName, places } from './scenarios.js'

const OURS = 'holdfast-store'

type Take = (figures: Figures) => number | undefined

interface Column {
  readonly title: string
  readonly scenario: string
  readonly take: Take
}

const columns: readonly Column[] = [
  { title: 'uncontended, sections/s', scenario: 'sequential', take: (figures) => figures.sectionsPerSecond },
  { title: 'requests', scenario: 'sequential', take: (figures) => figures.commandsPerSection },
  { title: 'CPU of the client, µs', scenario: 'sequential', take: (figures) => figures.clientUsPerSection },
  { title: 'of the server, µs', scenario: 'sequential', take: (figures) => figures.serverUsPerSection },
  { title: 'burst 4x25, sections/s', scenario: 'burst-4x25', take: (figures) => figures.sectionsPerSecond },
  { title: 'requests', scenario: 'burst-4x25', take: (figures) => figures.commandsPerSection },
  { title: 'loop 4x25, sections/s', scenario: 'loop-4x25', take: (figures) => figures.sectionsPerSecond },
  { title: 'to another process, p50, ms', scenario: 'fleet-8x1', take: (figures) => figures.crossingP50Ms },
  { title: 'requests', scenario: 'fleet-8x1', take: (figures) => figures.commandsPerSection },
]

/** Holdfast's figure on that store. */
export function figureOf(
  results: Results,
  place: PlaceName,
  scenario: string,
  take: Take,
): number | undefined {
  const figures = summarise(results.cells, `${place}-${scenario}`, OURS)?.figures
  return figures && take(figures)
}

/** All stores in one table each, as a part of the page. */
export function sideBySideOf(results: Results, charts: readonly Picture[]): string {
  const shown = places.filter(({ place }) =>
    figureOf(results, place, 'sequential', (figures) => figures.sections),
  )
  const rows = shown.map(({ place, title }) => [
    title,
    ...columns.map(({ scenario, take }) => shownNumber(figureOf(results, place, scenario, take))),
  ])
  const memory = summarise(results.cells, MEMORY, 'holdfast-memory')?.figures
  return [
    'One server of each on the same machine, what is committed flushed to the disk. Compare them with each other, not with your machine: there a',
    'network and the servers’ replicas come on top.',
    '',
    markdown({ head: ['', ...columns.map(({ title }) => title)], rows }),
    '',
    ...(memory === undefined
      ? []
      : [
          `Without any store, in the memory of the process, Holdfast makes ${shownNumber(memory.sectionsPerSecond)} sections a second.`,
          '',
        ]),
    ...charts.filter(({ name }) => name.startsWith('side-by-side-')).flatMap((each) => [picture(each), '']),
    ...crashes(results.takeOvers ?? []),
  ]
    .join('\n')
    .trimEnd()
}

function crashes(takeOvers: NonNullable<Results['takeOvers']>): string[] {
  const known = takeOvers.filter((each): each is TakeOver => !('failed' in each))
  if (known.length === 0) return []
  const rows = known.map(({ system, watchdogMs, medianMs, worstMs }) => [
    places.find((each) => each.system === system)?.title ?? system,
    shownNumber(watchdogMs),
    shownNumber(medianMs),
    shownNumber(worstMs),
  ])
  return [
    'When a holder is killed (`SIGKILL`) while another process waits, the lock is free when its lease or its session ends, which was renewed up to a third of that',
    'before. From the signal to the next holder:',
    '',
    markdown({ head: ['', '`watchdogMs`', 'median, ms', 'worst, ms'], rows }),
    '',
  ]
}
