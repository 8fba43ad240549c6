import { entryOf } from '../catalog.js'
import {
  allAtLeast,
  allAtMost,
  atLeast,
  atMost,
  doNotGrow,
  type Gate,
  ifThere,
  quotient,
  shown,
  unless,
} from '../gate.js'
import type { Figures } from '../measure/figures.js'
import type { CellResult, Results } from '../measure/results.js'
import { ratioIn, ratioOf, summarise } from '../measure/summary.js'
import {
  FAR,
  type PlaceName,
  places,
  pollers,
  storeGrowth,
  storeGrowthProcesses,
  storeGrowthWaiters,
  timers,
  turns,
  turnsProcesses,
} from './scenarios.js'

const OURS = 'holdfast-store'
/** Two, but for a renewal or a connection that was opened late. */
const EXACT = 2.01
const MEGABYTE = 2 ** 20

type Take = (figures: Figures) => number | undefined

const rate: Take = (figures) => figures.sectionsPerSecond
const statements: Take = (figures) => figures.commandsPerSection

/** What Holdfast must reach on databases and in files, worked out from what a run has found. */
export function storeGatesOf({ cells, tables }: Pick<Results, 'cells' | 'tables'>): Gate[] {
  return [
    ...onPostgres(cells),
    ...onMysql(cells, 'mysql'),
    ...onMysql(cells, 'mariadb'),
    ...onSqlite(cells),
    ...onEtcd(cells),
    ...onZooKeeper(cells),
    ...growthGates(cells),
    ...tableGates(tables ?? []),
  ]
}

function figuresOf(cells: readonly CellResult[], scenario: string, library = OURS): Figures | undefined {
  return summarise(cells, scenario, library)?.figures
}

/** Ours over theirs. */
function over(
  cells: readonly CellResult[],
  scenario: string,
  library: string,
  pick: Take,
): number | undefined {
  return ratioIn(cells, scenario, [OURS, library], pick)
}

/** How many times a peer's sections such a burst could have at most, if they followed each other without any lock. */
function mostOver(
  cells: readonly CellResult[],
  place: PlaceName,
  peer: string,
  title: string,
): string | undefined {
  const burst = `${place}-burst-4x25`
  const most = ratioOf(
    cells,
    [
      { scenario: timers(place), library: 'timers' },
      { scenario: burst, library: peer },
    ],
    rate,
  )
  if (most === undefined) return undefined
  const why = `the same sections back to back, without a lock, are ${shown(most)} times ${title}`
  const native = summarise(cells, burst, 'advisory') ? 'advisory' : 'get-lock'
  const served = ratioIn(cells, burst, [native, peer], rate)
  if (served === undefined) return why
  return `${why}; with a lock that the server itself hands on (${entryOf(native).title}), ${shown(served)}`
}

function uncontendedGate(cells: readonly CellResult[], place: PlaceName, title: string): Gate {
  return atMost(
    `${title}, uncontended: round trips for an acquisition and a release`,
    EXACT,
    figuresOf(cells, `${place}-sequential`)?.roundTripsPerSection,
  )
}

/** Over those that poll a database. */
function burstGate(
  cells: readonly CellResult[],
  place: PlaceName,
  title: string,
  needed: readonly number[],
): Gate {
  return unless(
    allAtLeast(
      `${title}, burst 4x25: sections/s over those of verrou, ShedLock's way (50 ms, 100 ms)`,
      needed,
      pollers.map((peer) => over(cells, `${place}-burst-4x25`, peer, rate)),
    ),
    mostOver(cells, place, 'poll-50', "ShedLock's way at 50 ms"),
  )
}

function onPostgres(cells: readonly CellResult[]): Gate[] {
  const burst = 'postgres-burst-4x25'
  return [
    uncontendedGate(cells, 'postgres', 'PostgreSQL'),
    wokenGate(cells, 'postgres', 'PostgreSQL'),
    burstGate(cells, 'postgres', 'PostgreSQL', [10, 20, 10]),
    atLeast('… over those of an advisory lock', 0.9, over(cells, burst, 'advisory', rate)),
    atLeast(
      'PostgreSQL, loop 4x25: sections/s over those of an advisory lock',
      0.9,
      over(cells, 'postgres-loop-4x25', 'advisory', rate),
    ),
  ]
}

function onMysql(cells: readonly CellResult[], place: 'mysql' | 'mariadb'): Gate[] {
  const title = places.find((each) => each.place === place)?.title ?? place
  const burst = `${place}-burst-4x25`
  return [
    uncontendedGate(cells, place, title),
    burstGate(cells, place, title, [3, 10, 3]),
    allAtMost(
      '… statements per section over theirs',
      0.5,
      pollers.map((peer) => over(cells, burst, peer, statements)),
    ),
  ]
}

function onSqlite(cells: readonly CellResult[]): Gate[] {
  return [
    atLeast(
      'SQLite, uncontended: sections/s over those of two bare statements',
      0.7,
      over(cells, 'sqlite-sequential', 'bare-statements', rate),
    ),
    atLeast(
      'SQLite, burst 4x25: sections/s over those of proper-lockfile',
      5,
      over(cells, 'sqlite-burst-4x25', 'proper-lockfile', rate),
    ),
    unless(
      atLeast(
        '… told to pause for 10 to 50 ms',
        5,
        over(cells, 'sqlite-burst-4x25', 'proper-lockfile-quick', rate),
      ),
      mostOver(cells, 'sqlite', 'proper-lockfile-quick', 'proper-lockfile at 10 to 50 ms'),
    ),
    ...['sqlite-loop-4x25', 'sqlite-fleet-8x1'].map((scenario) =>
      atMost(
        `SQLite, ${scenario.replace('sqlite-', '').replace('-', ' ')}: hand-over between processes, p50, over that of flock(1)`,
        2,
        over(cells, scenario, 'flock', (figures) => figures.crossingP50Ms),
      ),
    ),
  ]
}

function onEtcd(cells: readonly CellResult[]): Gate[] {
  return [
    atLeast(
      "etcd, uncontended: sections/s over those of Go's concurrency.Mutex",
      0.95,
      over(cells, 'etcd-sequential', 'go-mutex', rate),
    ),
    allAtLeast(
      "etcd, 2 and 8 sessions that take turns: sections/s over those of Go's concurrency.Mutex",
      20,
      turnsProcesses.map((processes) => over(cells, turns('etcd', processes), 'go-mutex', rate)),
    ),
    wokenGate(cells, 'etcd', 'etcd'),
  ]
}

function onZooKeeper(cells: readonly CellResult[]): Gate[] {
  return [
    atLeast(
      "ZooKeeper, uncontended, three servers with 2 ms of delay before them: sections/s over those of Curator's InterProcessMutex",
      1,
      over(cells, FAR, 'curator', rate),
    ),
    allAtLeast(
      '… 2 and 8 sessions that take turns there',
      1,
      turnsProcesses.map((processes) => over(cells, turns('zookeeper-far', processes), 'curator', rate)),
    ),
    allAtLeast(
      'ZooKeeper, 2 and 8 sessions that take turns at one server on the same machine: sections/s over those of Curator',
      1,
      turnsProcesses.map((processes) => over(cells, turns('zookeeper', processes), 'curator', rate)),
    ),
    wokenGate(cells, 'zookeeper', 'ZooKeeper'),
  ]
}

function wokenGate(cells: readonly CellResult[], place: PlaceName, title: string): Gate {
  const events = figuresOf(cells, `${place}-fleet-8x1`)?.messagesPerSection
  return atMost(`${title}, fleet 8x1: clients woken per release`, 1.05, events)
}

function growthGates(cells: readonly CellResult[]): Gate[] {
  return places.flatMap(({ place, title }) => [
    handOverGate(cells, place, title),
    ...storeGrowthProcesses.map((processes) =>
      doNotGrow(
        `${title}, ${processes} ${processes === 1 ? 'process' : 'processes'} with ${storeGrowthWaiters.join(', ')} waiters each: statements per section`,
        storeGrowthWaiters.map((waiters) =>
          ifThere(figuresOf(cells, storeGrowth(place, processes, waiters)), statements),
        ),
      ),
    ),
  ])
}

/** What a burst of ten in one process costs beyond a single section is the price of nine hand-overs. */
function handOverGate(cells: readonly CellResult[], place: PlaceName, title: string): Gate {
  const all = (waiters: number): number | undefined => {
    const figures = figuresOf(cells, storeGrowth(place, 1, waiters))
    return figures?.commandsPerSection && figures.commandsPerSection * figures.sections
  }
  const [one, ten] = [all(1), all(10)]
  return atMost(
    `${title}, burst 1x10: statements for a hand-over within the process`,
    0,
    one === undefined || ten === undefined ? undefined : Math.max(0, Math.round(ten - one) / 9),
  )
}

function tableGates(tables: NonNullable<Results['tables']>): Gate[] {
  const measured = tables.flatMap((table) => ('failed' in table ? [] : [table]))
  return measured.map(({ system, names, sections, mostBytes }) =>
    atMost(
      `${places.find((place) => place.system === system)?.title ?? system}: ${sections} sections on ${names} names: MB that the table took at most`,
      10,
      quotient(mostBytes, MEGABYTE),
    ),
  )
}
