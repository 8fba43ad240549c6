import { entryOf } from '../catalog.js'
import type { Figures } from '../measure/figures.js'
import type { Results } from '../measure/results.js'
import { ratioIn, type Summary, summarise } from '../measure/summary.js'
import type { Scenario } from '../scenario.js'
import { growthProcesses, growthWaiters } from '../scenarios.js'
import { notesOf } from './notes.js'
import { shownNumber } from './number.js'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

type Column = readonly [string, (figures: Figures) => string]

const uncontended: readonly Column[] = [
  ['sections/s', (figures) => shownNumber(figures.sectionsPerSecond)],
  ['commands per section', (figures) => shownNumber(figures.commandsPerSection)],
  ['client CPU per section, µs', (figures) => shownNumber(figures.clientUsPerSection)],
  ['server CPU per section, µs', (figures) => shownNumber(figures.serverUsPerSection)],
]

const contended: readonly Column[] = [
  ['sections/s', (figures) => shownNumber(figures.sectionsPerSecond)],
  ['hand-over p50, ms', (figures) => shownNumber(figures.gapP50Ms)],
  ['p99, ms', (figures) => shownNumber(figures.gapP99Ms)],
  ['between processes p50, ms', (figures) => shownNumber(figures.crossingP50Ms)],
  ['commands per section', (figures) => shownNumber(figures.commandsPerSection)],
  ["Jain's index", (figures) => (figures.jain === undefined ? '–' : figures.jain.toFixed(2))],
  ['starved', (figures) => `${figures.starved}`],
  ['worst wait, ms', (figures) => shownNumber(figures.worstWaitMs)],
  ['client CPU per section, µs', (figures) => shownNumber(figures.clientUsPerSection)],
  ['server CPU per section, µs', (figures) => shownNumber(figures.serverUsPerSection)],
]

function columnsOf({ kind, processes, system }: Scenario): readonly Column[] {
  if (system !== undefined) return storeColumnsOf(kind)
  if (kind !== 'burst' && kind !== 'loop') return uncontended
  return contended.filter(([title]) => processes > 1 || !title.startsWith('between processes'))
}

/** Of databases and files. */
function storeColumnsOf(kind: Scenario['kind']): Column[] {
  const columns = (kind === 'sequential' ? uncontended : contended).map(
    ([title, show]): Column => [title.replace('commands', 'statements'), show],
  )
  const more: readonly Column[] = [
    ['round trips per section', (figures) => shownNumber(figures.roundTripsPerSection)],
    ['clients woken per section', (figures) => shownNumber(figures.messagesPerSection)],
  ]
  const at = columns.findIndex(([title]) => title.startsWith('statements')) + 1
  return columns.toSpliced(at, 0, ...(kind === 'sequential' ? more.slice(0, 1) : more))
}

/** One scenario, a row for each library, the fastest first. `undefined` where nothing of it was run. */
export function scenarioTable({ cells, rounds }: Results, scenario: Scenario): Table | undefined {
  const summaries = scenario.libraries.flatMap((library) => summarise(cells, scenario.name, library) ?? [])
  if (summaries.length === 0) return undefined
  const all = columnsOf(scenario)
  // What nobody counts there has no column.
  const columns = all.filter(([, show]) => summaries.some(({ figures }) => figures && show(figures) !== '–'))
  const toFloor =
    ['sequential', 'fresh', 'keys'].includes(scenario.kind) && scenario.libraries.includes('floor')
  const rate = ({ figures }: Summary): number => figures?.sectionsPerSecond ?? -1
  const rows = [...summaries]
    .sort((a, b) => rate(b) - rate(a))
    .map((summary) => [
      entryOf(summary.library).title,
      ...columns.map(([, show]) => (summary.figures === undefined ? '–' : show(summary.figures))),
      ...(toFloor
        ? [
            shownNumber(
              ratioIn(
                cells,
                scenario.name,
                [summary.library, 'floor'],
                (figures) => figures.sectionsPerSecond,
              ),
            ),
          ]
        : []),
      notesOf(summary, rounds),
    ])
  return {
    head: ['', ...columns.map(([title]) => title), ...(toFloor ? ['ratio to the floor'] : []), ''],
    rows,
  }
}

/** How what a section costs changes with the number of waiters. */
export function growthTable(
  { cells }: Results,
  pick: (figures: Figures) => number | undefined,
): Table | undefined {
  const names = [
    ...new Set(cells.filter(({ scenario }) => scenario.startsWith('growth-')).map(({ library }) => library)),
  ]
  const rows = names.flatMap((name) =>
    growthProcesses.map((processes) => [
      entryOf(name).title,
      `${processes}`,
      ...growthWaiters.map((waiters) => {
        const figures = summarise(cells, `growth-${processes}x${waiters}`, name)?.figures
        return figures === undefined ? '–' : `${shownNumber(pick(figures))}${figures.gaveUp > 0 ? ' *' : ''}`
      }),
    ]),
  )
  return rows.length === 0
    ? undefined
    : { head: ['', 'processes', ...growthWaiters.map((waiters) => `${waiters} waiters`)], rows }
}

export function markdown({ head, rows }: Table): string {
  const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`
  const rule = head.map((_, index) => (rows.every((row) => isNumber(row[index] ?? '')) ? '---:' : '---'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** Whether a cell is to stand at the right, under its like. */
function isNumber(text: string): boolean {
  return /^(–|[\d][\d .]*( [*%])?)$/.test(text)
}
