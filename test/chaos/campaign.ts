import type { Bundle } from './bundle.js'
import { check, type Times } from './checker/check.js'
import { type EpisodeOrder, runEpisode } from './episode.js'
import type { Nemesis } from './nemeses/nemesis.js'
import type { Resizes } from './program/generate.js'
import type { Kind } from './program/kinds.js'
import { Random } from './program/random.js'
import type { Outcome } from './summary.js'
import type { Pool } from './topologies/pool.js'
import { kindsAt, promisesOf } from './topologies/store-promises.js'
import type { TopologyName } from './topologies/topology.js'

/** What a client is told where its nemesis asks for nothing else: a lease so long that a wake-up that waits for it shows. */
const TIMES: Times = { watchdogMs: 9_000, commandTimeoutMs: 1_000, storeTimeoutMs: 4_000, lingerMs: 'auto' }
/** How long everything may take to settle and to be undone, when all is well again. */
const DRAIN_MS = 30_000
const REST_MS = 3_000
const LONG_WORK_MS = 4_000
/** In how many episodes sections often last long: what waits then is woken by nothing but what it waits for. */
const LONG_WORK = 0.2
const SHORT_WORK_MS = 400

export const LONGEST_LEASE_MS = TIMES.watchdogMs + 1_000

export interface EpisodePlan
  extends Pick<EpisodeOrder, 'seed' | 'nemesis' | 'kinds' | 'loadMs' | 'drainMs' | 'longWork'> {
  readonly topology: TopologyName
  readonly lingerMs?: Times['lingerMs']
}

/** The place of an episode, by its seed. Undefined: the nemesis has none there, or the place none of the kinds. */
export function planOf(
  seed: number,
  nemesis: Nemesis,
  topologies: readonly TopologyName[],
  kinds: readonly Kind[],
  loadMs: number,
): EpisodePlan | undefined {
  const possible = nemesis.topologies.filter(
    (name) => topologies.includes(name) && kindsAt(name, kinds).length > 0,
  )
  if (possible.length === 0) return undefined
  const random = new Random(seed)
  const topology = random.pick(possible)
  const longWork = nemesis.longWork === true || random.chance(LONG_WORK)
  return { seed, nemesis, topology, kinds: kindsAt(topology, kinds), loadMs, drainMs: DRAIN_MS, longWork }
}

function resizesUnder({ harmless, losesData }: Nemesis, topology: TopologyName): Resizes {
  if (harmless === true) return 'any'
  return losesData === true && topology !== 'quorum' ? 'none' : 'by-adding'
}

export async function carryOut(plan: EpisodePlan, pool: Pool, bundle: Bundle): Promise<Outcome> {
  const { nemesis, topology } = plan
  const lingerMs = promisesOf(topology).lined ? (plan.lingerMs ?? TIMES.lingerMs) : TIMES.lingerMs
  const times: Times = { ...TIMES, lingerMs, ...nemesis.options }
  const leftMs = nemesis.harmless === true ? 0 : Math.max(times.watchdogMs, 5_000)
  // Who is told of a loss has to be at work then; elsewhere long work only keeps others waiting.
  const longestWorkMs = plan.longWork || times.watchdogMs < TIMES.watchdogMs ? LONG_WORK_MS : SHORT_WORK_MS
  const order = {
    ...plan,
    resizes: resizesUnder(nemesis, topology),
    options: { ...times, ...nemesis.options },
    restMs: REST_MS + leftMs,
    longestWorkMs,
  }
  try {
    const episode = await runEpisode(order, await pool.take(topology), bundle)
    const verdict = check(episode, nemesis, topology, times)
    return { seed: plan.seed, nemesis: nemesis.name, topology, verdict }
  } catch (error) {
    await pool.discard(topology)
    throw error
  }
}
