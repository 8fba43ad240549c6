import { setTimeout as pause } from 'node:timers/promises'
import type { HoldfastOptions } from '../../src/index.js'
import type { Bundle } from './bundle.js'
import type { Finding } from './checker/finding.js'
import { findLeftovers, placesLeft } from './checker/leftovers.js'
import { Crew } from './crew.js'
import { now } from './history/event.js'
import { type Fault, HARMLESS, type History } from './history/history.js'
import { Room } from './history/room.js'
import type { Nemesis, Scene } from './nemeses/nemesis.js'
import type { Terms } from './program/generate.js'
import { Random } from './program/random.js'
import { type Resource, resourcesOf } from './program/resource.js'
import { heartbeat } from './standstill.js'
import type { Topology } from './topologies/topology.js'

const WORKERS = 3
const TASKS = 8
const LOOK_MS = 5_000
/** That programs ask for, see generate.ts. */
const LONGEST_LEASE_MS = 5_000

export interface EpisodeOrder extends Omit<Terms, 'resources'> {
  readonly seed: number
  readonly nemesis: Nemesis
  readonly loadMs: number
  readonly options: HoldfastOptions
  readonly drainMs: number
  /** How long the store may keep what nobody gave back. */
  readonly restMs: number
}

export interface Episode {
  readonly history: History
  /** Whether all calls had settled, all clients closed, all processes ended, in time. */
  readonly drained: boolean
  readonly closed: boolean
  readonly gone: boolean
  readonly left: readonly Finding[]
}

export async function runEpisode(order: EpisodeOrder, topology: Topology, bundle: Bundle): Promise<Episode> {
  const { seed, nemesis, kinds, loadMs, options, drainMs, restMs, longestWorkMs, longWork, resizes } = order
  const random = new Random(seed)
  const resources = resourcesOf(kinds, random.branch(1))
  const faults: Fault[] = []
  const parentLags: Array<{ t: number; ms: number }> = []
  const crew = new Crew(WORKERS, {
    ...{ seed, bundle, topology, episode: `${seed}-${nemesis.name}` },
    order: { tasks: TASKS, options, kinds, resources, longestWorkMs, longWork, resizes },
  })
  const stopBeat = heartbeat((t, ms) => parentLags.push({ t, ms }))
  try {
    await crew.start()
    const scene = sceneOf(random.branch(2), topology, resources, crew, faults, now() + loadMs)
    while (scene.goesOn) {
      await scene.pause(200, 1_000)
      if (scene.goesOn) await nemesis.strike(scene)
    }
    const drained = await crew.bid({ do: 'finish' }, 'idle', drainMs)
    if (!drained) await crew.bid({ do: 'look' }, 'looked', LOOK_MS)
    const closed = drained && (await crew.bid({ do: 'close' }, 'closed', drainMs))
    const gone = closed && (await crew.gone(3_000))
    const endedAt = now()
    await crew.end()
    const workers = crew.histories()
    const places = placesLeft(workers, faults, nemesis, Math.max(options.watchdogMs ?? 0, LONGEST_LEASE_MS))
    const left = gone ? await findLeftovers(topology, resources, new Room({ workers }), places, restMs) : []
    return { history: { workers, faults, parentLags, endedAt }, drained, closed, gone, left }
  } finally {
    stopBeat()
    await crew.end()
  }
}

function sceneOf(
  random: Random,
  topology: Topology,
  resources: readonly Resource[],
  crew: Crew,
  faults: Fault[],
  until: number,
): Scene {
  return {
    random,
    topology,
    resources,
    victims: crew.posts,
    get goesOn() {
      return now() < until
    },
    async pause(leastMs, mostMs) {
      await pause(random.whole(leastMs, mostMs))
    },
    async fault(what, act, traits = {}) {
      const from = now()
      try {
        await act()
      } finally {
        faults.push({ what, from, to: now(), ...HARMLESS, ...traits })
      }
    },
  }
}
