import { entryOf, peers } from './catalog.js'
import type { Scenario } from './scenario.js'

const locks = ['holdfast', 'floor', ...peers]
const elsewhere = ['redisson', 'redsync', 'rueidislock']
const slow = peers.filter((name) => entryOf(name).slow === true)
const everywhere = [...locks, ...elsewhere]

const LOOP_MS = 1_200
const UNCONTENDED_MS = 1_200
const FLEET_LOOP_MS = 4_000
/**
 * A process keeps the lock for a slice, after eight turns of one section each: its habit has to form. Of fewer turns those, and one more or less,
 * would be most of what differs.
 */
const SLICE_MS = 25
const TURNS = 24
const LOOP_GRACE_MS = 500
const PATIENCE_MS = 20_000
const LITTLE_PATIENCE_MS = 6_000

type Given = Pick<Scenario, 'name' | 'title' | 'kind' | 'libraries'> & Partial<Scenario>

function scenario(given: Given): Scenario {
  const burst = given.kind === 'burst'
  return {
    processes: 1,
    waiters: 1,
    sectionMs: 0,
    depth: 1,
    durationMs: given.kind === 'loop' ? LOOP_MS : burst ? 0 : UNCONTENDED_MS,
    giveUpMs: burst ? PATIENCE_MS : LOOP_GRACE_MS,
    slowGiveUpMs: burst ? LITTLE_PATIENCE_MS : LOOP_GRACE_MS,
    onceOnly: [],
    ...given,
  }
}

/** A burst and a loop of one line-up. */
function pair(
  processes: number,
  waiters: number,
  sectionMs: 0 | 1,
  of: Pick<Scenario, 'libraries'> & {
    readonly loop?: readonly string[]
    readonly onceOnly?: readonly string[]
    readonly loopOnceOnly?: readonly string[]
  },
): Scenario[] {
  const lineUp = `${processes}x${waiters}`
  const suffix = sectionMs === 0 ? '-empty' : ''
  const sections = sectionMs === 0 ? 'empty sections' : 'sections of 1 ms'
  const line = { processes, waiters, sectionMs }
  return [
    scenario({
      ...line,
      name: `burst-${lineUp}${suffix}`,
      title: `burst ${lineUp}, ${sections}`,
      kind: 'burst',
      libraries: of.libraries,
      onceOnly: of.onceOnly ?? [],
    }),
    scenario({
      ...line,
      name: `loop-${lineUp}${suffix}`,
      title: `loop ${lineUp}, ${sections}`,
      kind: 'loop',
      libraries: (of.loop ?? of.libraries).filter((name) => name !== 'timers'),
      onceOnly: of.loopOnceOnly ?? [],
    }),
  ]
}

const growing = ['holdfast', 'redis-semaphore', 'redlock-5']

function growth(processes: number, waiters: number): Scenario {
  return scenario({
    name: `growth-${processes}x${waiters}`,
    title: `growth: burst ${processes}x${waiters}, empty sections`,
    kind: 'burst',
    processes,
    waiters,
    libraries: growing,
    onceOnly: growing.filter((name) => name !== 'holdfast'),
    giveUpMs: LITTLE_PATIENCE_MS,
  })
}

/** Numbers of waiters per process at which the growth of costs is looked at. */
export const growthWaiters = [1, 10, 100, 1_000] as const
export const growthProcesses = [1, 2] as const

/** Numbers of processes with one waiter in each, which is how most services run. */
export const fleetProcesses = [2, 8, 16, 32] as const

export function fleetScenario(processes: number): string {
  return `fleet-${processes}x1`
}

/** The round trips that a fleet's hand-over is told in, measured beside it: back to back, and after a section each. */
export const FLEET_PING = 'fleet-ping'
export const FLEET_PING_RESTED = 'fleet-ping-rested'

/** Two processes of each, against four of Redisson's. */
export const BESIDE_REDISSON = 'beside-redisson-4x8'

/** The fastest of those that poll, and the one that broadcasts. */
const rivals = ['redis-semaphore', 'node-redisson']

/** Loops, because only there is somebody in line again by the time of the next release. */
function fleet(processes: number): Scenario {
  // Thirty-two virtual machines on two cores do not get through their warm-up in time.
  const once = processes === 16 ? peers : processes < 16 ? ['redisson-fair'] : []
  return scenario({
    name: fleetScenario(processes),
    title: `fleet: loop ${processes}x1, sections of 1 ms`,
    kind: 'loop',
    processes,
    sectionMs: 1,
    durationMs: Math.max(FLEET_LOOP_MS, TURNS * processes * SLICE_MS),
    libraries: [
      ...new Set([
        'holdfast',
        'holdfast-off',
        'holdfast-fair',
        'floor',
        'in-turn',
        'rueidislock',
        ...rivals,
        ...once,
      ]),
    ],
    onceOnly: once.filter((name) => !rivals.includes(name)),
  })
}

export const scenarios: readonly Scenario[] = [
  scenario({
    name: 'sequential',
    title: 'uncontended, one after the other',
    kind: 'sequential',
    libraries: ['ping', 'holdfast-with-lock', 'holdfast-off', ...everywhere],
  }),
  scenario({
    name: 'fresh',
    title: 'uncontended, a new name each time',
    kind: 'fresh',
    libraries: locks,
  }),
  scenario({
    name: 'rested',
    title: 'round trips of a process that sleeps in between',
    kind: 'sequential',
    meaning:
      'One task asks the server something that costs nothing, and sleeps for 25 ms: what a process that waits for its turn has behind it.',
    // With those sleeps the usual number would take minutes.
    warmUpCycles: 100,
    libraries: ['ping-rested'],
  }),
  scenario({
    name: 'keys',
    title: 'uncontended, 64 keys at once',
    kind: 'keys',
    waiters: 64,
    libraries: ['holdfast-with-lock', ...everywhere],
  }),
  scenario({
    name: 'nested',
    title: 'nested, depth 3',
    kind: 'nested',
    depth: 3,
    libraries: ['holdfast', 'holdfast-with-lock', 'node-redisson', 'redisson'],
    onceOnly: ['redisson'],
  }),
  ...pair(1, 50, 1, {
    libraries: ['timers', ...everywhere],
    onceOnly: ['redisson'],
    loopOnceOnly: ['redisson'],
  }),
  ...pair(4, 25, 1, { libraries: everywhere }),
  ...pair(1, 50, 0, {
    libraries: locks,
    loop: [...locks, 'holdfast-with-lock', 'redsync', 'rueidislock'],
    onceOnly: slow,
  }),
  ...pair(4, 25, 0, { libraries: locks, onceOnly: slow }),
  scenario({
    name: 'many-waiters',
    title: '10 000 waiters on one lock in one process, empty sections',
    kind: 'burst',
    waiters: 10_000,
    libraries: locks,
    onceOnly: ['floor', ...peers],
  }),
  scenario({
    name: FLEET_PING,
    title: 'round trips beside the fleet',
    kind: 'sequential',
    libraries: ['ping'],
  }),
  scenario({
    name: FLEET_PING_RESTED,
    title: 'round trips beside the fleet, sections of 1 ms in between',
    kind: 'sequential',
    sectionMs: 1,
    libraries: ['ping'],
  }),
  ...fleetProcesses.map(fleet),
  scenario({
    name: BESIDE_REDISSON,
    title: 'Redisson and Holdfast on one lock: loop 4x8, sections of 1 ms',
    kind: 'loop',
    processes: 4,
    waiters: 8,
    sectionMs: 1,
    durationMs: FLEET_LOOP_MS,
    libraries: ['redisson-and-holdfast', 'redisson', 'holdfast'],
  }),
  ...growthProcesses.flatMap((processes) => growthWaiters.map((waiters) => growth(processes, waiters))),
]

/** Those that are programs of their own rather than cells. */
export const HELD_LOCKS = 'held-locks'
export const BLOCKED_MAIN_THREAD = 'blocked-main-thread'
export const MANY_CLIENTS = 'many-clients'
export const SIMULATED = 'simulated'
