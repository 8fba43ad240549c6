import type { System } from '../drivers/place.js'
import type { Scenario } from '../scenario.js'

/** The pollers of a database: what "the peers" are there. */
export const pollers = ['verrou-database', 'poll-50', 'poll-100'] as const
const filePeers = ['proper-lockfile', 'proper-lockfile-quick'] as const

/** The locks' places, as scenarios are named after them. */
export const places = [
  { place: 'redis', system: 'Redis', title: 'Redis', table: false },
  { place: 'postgres', system: 'PostgreSQL', title: 'PostgreSQL', table: true },
  { place: 'mysql', system: 'MySQL', title: 'MySQL', table: true },
  { place: 'mariadb', system: 'MariaDB', title: 'MariaDB', table: true },
  { place: 'sqlite', system: 'files', title: 'SQLite', table: true },
  { place: 'etcd', system: 'etcd', title: 'etcd', table: false },
  { place: 'zookeeper', system: 'ZooKeeper', title: 'ZooKeeper', table: false },
  { place: 'memcached', system: 'memcached', title: 'memcached', table: false },
] as const satisfies readonly { place: string; system: System; title: string; table: boolean }[]

export type PlaceName = (typeof places)[number]['place']

/** Where locks are rows. */
export const tablePlaces = places.filter(({ table }) => table)

/** The program that kills a holder. */
export function crash(place: PlaceName): string {
  return `${place}-crash`
}

/** Three servers that a delay lies before, as scenarios are named after them. */
const FAR_PLACE = 'zookeeper-far'
export const FAR = `${FAR_PLACE}-sequential`
const BEHIND_DELAY = 'three servers with 2 ms of delay before them'

/** Processes with one waiter each, and nothing to do in their sections: who takes turns is measured alone. */
export const turns = (place: PlaceName | typeof FAR_PLACE, processes: number): string =>
  `${place}-turns-${processes}x1`
export const turnsProcesses = [2, 8] as const

/** What sections of 1 ms allow at most. */
export const timers = (place: PlaceName): string => `${place}-timers`
/** No server at all. */
export const MEMORY = 'memory-sequential'

/** The program that looks how the table grows. */
export function tableGrowth(place: PlaceName): string {
  return `${place}-table-growth`
}

/** Waiters in each process, at which the growth of costs is looked at. */
export const storeGrowthWaiters = [1, 10, 100, 1_000] as const
export const storeGrowthProcesses = [1, 2] as const

const UNCONTENDED_MS = 1_000
const LOOP_MS = 1_500
const LOOP_GRACE_MS = 500
const PATIENCE_MS = 20_000
const LITTLE_PATIENCE_MS = 6_000
/** Each is some statements on a disk. */
const UNCONTENDED_CYCLES = 1_000
/** Beside a library whose compiler was done before (Go), or is given the time for it (JVM): as many as beside those on Redis. */
const UNCONTENDED_CYCLES_BESIDE_COMPILED = 5_000

export function storeGrowth(place: PlaceName, processes: number, waiters: number): string {
  return `${place}-growth-${processes}x${waiters}`
}

const contenders: Readonly<Record<PlaceName, readonly string[]>> = {
  redis: ['holdfast-store'],
  etcd: ['holdfast-store', 'go-mutex'],
  zookeeper: ['holdfast-store'],
  memcached: ['holdfast-store'],
  postgres: ['holdfast-store', 'advisory', ...pollers],
  mysql: ['holdfast-store', 'get-lock', ...pollers],
  mariadb: ['holdfast-store', 'get-lock', ...pollers],
  sqlite: ['holdfast-store', 'flock', ...filePeers],
}

const uncontended: Readonly<Record<PlaceName, readonly string[]>> = {
  redis: ['holdfast-store'],
  etcd: ['holdfast-store', 'go-mutex'],
  zookeeper: ['holdfast-store', 'curator'],
  memcached: ['holdfast-store'],
  postgres: ['statement', 'holdfast-store', 'advisory', 'poll-50', 'verrou-database'],
  mysql: ['statement', 'holdfast-store', 'get-lock', 'poll-50', 'verrou-database'],
  mariadb: ['statement', 'holdfast-store', 'get-lock', 'poll-50', 'verrou-database'],
  sqlite: ['bare-statements', 'holdfast-store', 'proper-lockfile'],
}

const peersInTurns: Readonly<Partial<Record<PlaceName, string>>> = { etcd: 'go-mutex', zookeeper: 'curator' }

type Given = Pick<Scenario, 'name' | 'title' | 'kind' | 'libraries'> & Partial<Scenario>

function scenario(system: System, given: Given): Scenario {
  const contended = given.kind === 'burst' || given.kind === 'loop'
  return {
    system,
    processes: 1,
    waiters: 1,
    sectionMs: 0,
    depth: 1,
    durationMs: given.kind === 'burst' ? 0 : given.kind === 'loop' ? LOOP_MS : UNCONTENDED_MS,
    giveUpMs: given.kind === 'burst' ? PATIENCE_MS : LOOP_GRACE_MS,
    slowGiveUpMs: given.kind === 'burst' ? LITTLE_PATIENCE_MS : LOOP_GRACE_MS,
    onceOnly: [],
    ...(!contended && { warmUpCycles: UNCONTENDED_CYCLES }),
    ...given,
  }
}

/** Whose figure in a loop is not close to ours. */
const isPeer = (name: string): boolean => [...pollers, ...filePeers, 'go-mutex'].some((peer) => peer === name)

function contendedOn(place: PlaceName, system: System): Scenario[] {
  const libraries = contenders[place]
  const fourTimes25 = { processes: 4, waiters: 25, sectionMs: 1, libraries } as const
  return [
    scenario(system, {
      ...fourTimes25,
      name: `${place}-burst-4x25`,
      title: 'burst 4x25, sections of 1 ms',
      kind: 'burst',
      onceOnly: libraries.filter((name) => name === 'go-mutex'),
    }),
    scenario(system, {
      ...fourTimes25,
      name: `${place}-loop-4x25`,
      onceOnly: libraries.filter(isPeer),
      title: 'loop 4x25, sections of 1 ms',
      kind: 'loop',
    }),
    scenario(system, {
      name: `${place}-fleet-8x1`,
      title: 'fleet: loop 8x1, sections of 1 ms',
      kind: 'loop',
      processes: 8,
      sectionMs: 1,
      libraries: contenders[place].filter((name) =>
        ['holdfast-store', 'advisory', 'get-lock', 'flock'].includes(name),
      ),
    }),
  ]
}

function timersOn(place: PlaceName, system: System): Scenario[] {
  if (!tablePlaces.some((each) => each.place === place)) return []
  const title = 'as many sections of 1 ms back to back, without a lock'
  const hundred = { waiters: 100, sectionMs: 1, libraries: ['timers'] } as const
  return [scenario(system, { ...hundred, name: timers(place), title, kind: 'burst' })]
}

function growthOn(place: PlaceName, system: System): Scenario[] {
  return storeGrowthProcesses.flatMap((processes) =>
    storeGrowthWaiters.map((waiters) =>
      scenario(system, {
        name: storeGrowth(place, processes, waiters),
        title: `growth: burst ${processes}x${waiters}, empty sections`,
        kind: 'burst',
        processes,
        waiters,
        libraries: ['holdfast-store'],
        // Counts, which do not differ from round to round as times do.
        onceOnly: ['holdfast-store'],
      }),
    ),
  )
}

function turnsOn(place: PlaceName | typeof FAR_PLACE, system: System, peer: string): Scenario[] {
  return turnsProcesses.map((processes) =>
    scenario(system, {
      name: turns(place, processes),
      title: `taking turns: loop ${processes}x1, empty sections${place === FAR_PLACE ? `, ${BEHIND_DELAY}` : ''}`,
      kind: 'loop',
      processes,
      libraries: ['holdfast-store', peer],
    }),
  )
}

export const storeScenarios: readonly Scenario[] = [
  ...places.flatMap(({ place, system }) => scenariosOn(place, system)),
  scenario('ZooKeeper, three', {
    name: FAR,
    title: `uncontended, ${BEHIND_DELAY}`,
    kind: 'sequential',
    libraries: ['holdfast-store', 'curator'],
    warmUpCycles: 300,
  }),
  ...turnsOn(FAR_PLACE, 'ZooKeeper, three', 'curator'),
  scenario('files', {
    name: MEMORY,
    title: 'uncontended, in the memory of the process',
    kind: 'sequential',
    libraries: ['holdfast-memory'],
  }),
]

function scenariosOn(place: PlaceName, system: System): Scenario[] {
  const peer = peersInTurns[place]
  return [
    scenario(system, {
      name: `${place}-sequential`,
      title: 'uncontended, one after the other',
      kind: 'sequential',
      libraries: uncontended[place],
      ...(peer !== undefined && { warmUpCycles: UNCONTENDED_CYCLES_BESIDE_COMPILED }),
    }),
    ...contendedOn(place, system),
    ...timersOn(place, system),
    ...(peer === undefined ? [] : turnsOn(place, system, peer)),
    ...growthOn(place, system),
  ]
}
