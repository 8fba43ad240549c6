import { entryOf } from '../catalog.js'
import { handOverRoundTrips, roundTripMs } from '../fleet.js'
import type { Results } from '../measure/results.js'
import { type Summary, summarise } from '../measure/summary.js'
import { FLEET_PING, FLEET_PING_RESTED, fleetProcesses, fleetScenario, scenarios } from '../scenarios.js'
import { notesOf } from './notes.js'
import { shownNumber } from './number.js'
import { markdown, type Table } from './tables.js'

const explained = [
  'Processes with one waiter each; every one asks again at once after its section of 1 ms. *Hand-over* is from the last statement of a',
  "section to the first of the next, in another process; it is told in round trips too, the p50 of a PING's in the same run: back to",
  'back, and of a process that has slept 1 ms before, as the holder has. All processes and the server share the cores.',
  '*Woken per release*: the messages that channels brought to any process, counted in the client for Node; for Redisson those that the',
  'server published, each on a channel of one thread. Every section has one release. One that finds nobody in line is announced to all',
  'that listen, so that with two processes it can be a little more than one. Polling libraries receive no messages.',
].join('\n')

/** Processes with one waiter in each. */
export function fleetSection(results: Results, pictures: readonly string[]): string[] {
  const table = fleetTable(results)
  if (table === undefined) return []
  const ping = shownNumber(roundTripMs(results.cells, FLEET_PING))
  const rested = shownNumber(roundTripMs(results.cells, FLEET_PING_RESTED))
  return [
    '## A fleet: one waiter in each process',
    explained,
    `A round trip's p50: ${ping} ms; after 1 ms of sleep: ${rested} ms.`,
    ...pictures,
    markdown(table),
  ]
}

function fleetTable(results: Results): Table | undefined {
  const rows = fleetProcesses.flatMap((processes) =>
    librariesOf(processes).flatMap((library) => {
      const summary = summarise(results.cells, fleetScenario(processes), library)
      return summary === undefined ? [] : [rowOf(results, processes, summary)]
    }),
  )
  if (rows.length === 0) return undefined
  return {
    head: [
      'processes',
      '',
      'hand-over p50, ms',
      'in round trips',
      'in those after sleep',
      'p99, ms',
      'woken per release',
      'commands per section',
      'sections/s',
      'client CPU per section, µs',
      'server CPU per section, µs',
      "Jain's index",
      'starved',
      'worst wait, ms',
      '',
    ],
    rows,
  }
}

function librariesOf(processes: number): readonly string[] {
  return scenarios.find(({ name }) => name === fleetScenario(processes))?.libraries ?? []
}

function rowOf({ cells, rounds }: Results, processes: number, summary: Summary): string[] {
  const { figures } = summary
  return [
    `${processes}`,
    entryOf(summary.library).title,
    shownNumber(figures?.crossingP50Ms),
    shownNumber(handOverRoundTrips(cells, figures, FLEET_PING)),
    shownNumber(handOverRoundTrips(cells, figures, FLEET_PING_RESTED)),
    shownNumber(figures?.gapP99Ms),
    shownNumber(figures?.messagesPerSection),
    shownNumber(figures?.commandsPerSection),
    shownNumber(figures?.sectionsPerSecond),
    shownNumber(figures?.clientUsPerSection),
    shownNumber(figures?.serverUsPerSection),
    figures?.jain === undefined ? '–' : figures.jain.toFixed(2),
    figures === undefined ? '–' : `${figures.starved}`,
    shownNumber(figures?.worstWaitMs),
    notesOf(summary, rounds),
  ]
}
