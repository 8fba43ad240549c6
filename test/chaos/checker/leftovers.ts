import { Holdfast } from '../../../src/index.js'
import { keyOf } from '../../../src/stores/memcached/key.js'
import { raw } from '../../memcached/raw.js'
import { withAdmin } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'
import type { Room } from '../history/room.js'
import { locksOf, PERMITS, type Resource } from '../program/resource.js'
import { storeAt } from '../route.js'
import type { Topology } from '../topologies/topology.js'
import { type Finding, finding, leftover } from './finding.js'
import type { PlacesLeft } from './places-left.js'
import { leftInRows } from './row-leftovers.js'

/** What may stay: counters of tokens, numbers of permits, values, marks of requests. */
const KEPT = /^(redisson_lock_token|holdfast_rw_fence|holdfast_once|holdfast_request)/

const LINE = /^holdfast_(\w+_)?line:/
const PROCESSES = /^holdfast_(?:(?:\w+_)?processes|tickets):/

export async function findLeftovers(
  topology: Topology,
  resources: readonly Resource[],
  room: Room,
  places: PlacesLeft,
  withinMs: number,
): Promise<Finding[]> {
  const { servers, direct, name } = topology
  const deadline = performance.now() + withinMs
  const numbers = resources.filter(({ kind }) => kind === 'semaphore' || kind === 'permits')
  // A latch stays closed that nobody was left to count down.
  const latches = resources.filter(({ kind }) => kind === 'latch')
  const kept = new Set([...numbers, ...latches].map((resource) => resource.name))
  for (;;) {
    const perServer = await Promise.all(servers.map((server) => leftAt(server, kept, places)))
    const found = perServer.flat().filter((finding) => !isTicketOfFew(finding, perServer))
    found.push(...(await leftInRows(topology, places)), ...(await leftInCache(topology, resources)))
    found.push(...((await topology.ensemble?.entries()) ?? []).map((entry) => leftover(`entry ${entry}`)))
    if (name !== 'quorum') found.push(...(await missingPermits(numbers, room, direct)))
    if (found.length === 0 || performance.now() > deadline) return found
    // What clients leave on their way out is gone in a moment: it looks again.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/**
 * A request for a vote may be carried out after its connection was cut, and after the client has given its ticket back there. What a minority of the
 * servers prefers decides nothing.
 */
function isTicketOfFew({ what }: Finding, perServer: readonly (readonly Finding[])[]): boolean {
  const [key] = /^key holdfast_tickets:\S+/.exec(what) ?? []
  if (key === undefined) return false
  const having = perServer.filter((found) => found.some((each) => each.what.startsWith(`${key} `)))
  return 2 * having.length < perServer.length
}

/** Whose fields these are of all that a hash answers. A ticket below zero is that of one who had the lock, and holds up nobody. */
function waitingIn(hash: readonly string[]): string[] {
  return hash.filter((field, at) => at % 2 === 0 && !field.startsWith(':') && !hash[at + 1]?.startsWith('-'))
}

async function leftAt(server: Server, kept: ReadonlySet<string>, places: PlacesLeft): Promise<Finding[]> {
  return await withAdmin(server, async (command) => {
    const list = async (...words: [string, ...string[]]): Promise<string[]> => {
      const answer = await command(...words)
      return Array.isArray(answer) ? answer.map(String) : []
    }
    const role = await list('ROLE')
    if (role[0] === 'slave') return []
    const found = (await list('KEYS', '*')).filter((key) => !KEPT.test(key) && !kept.has(key))
    const stays = await Promise.all(
      found.map(async (key) => {
        const of = LINE.test(key)
          ? (await list('ZRANGE', key, '0', '-1')).map((place) => place.split(':')[1] ?? '')
          : PROCESSES.test(key)
            ? waitingIn(await list('HGETALL', key))
            : undefined
        // One that is gone by now has none.
        return of && (of.length === 0 || places.mayStay(of, Number(await command('PTTL', key))))
      }),
    )
    const keys = found.filter((_, index) => !stays[index])
    const clients = String(await command('CLIENT', 'LIST'))
      .split('\n')
      .filter((line) => line.includes('name=holdfast-'))
    const channels = [...(await list('PUBSUB', 'CHANNELS')), ...(await list('PUBSUB', 'SHARDCHANNELS'))]
    const left = async (key: string): Promise<string> => `${key} (${String(await command('PTTL', key))} ms)`
    return [
      ...(await Promise.all(keys.map(left))).map((key) => leftover(`key ${key}`)),
      ...clients.map((client) => leftover(`client ${client}`)),
      // Sentinels talk over their primary.
      ...channels
        .filter((channel) => channel !== '__sentinel__:hello')
        .map((channel) => leftover(`channel ${channel}`)),
    ]
  })
}

async function missingPermits(
  numbers: readonly Resource[],
  room: Room,
  direct: Topology['direct'],
): Promise<Finding[]> {
  const { store, disconnect } = storeAt(direct)
  const holdfast = new Holdfast(store)
  try {
    const findings: Finding[] = []
    for (const { kind, name } of numbers) {
      const semaphore =
        kind === 'semaphore' ? holdfast.semaphore(name) : holdfast.permitExpirableSemaphore(name)
      const available = await semaphore.availablePermits()
      const [fewer, more] = room.atRest(name)
      if (available < PERMITS + fewer || available > PERMITS + more)
        findings.push(
          finding('permits', { kind }, `${name} has ${available} permits at rest (${fewer}, ${more})`),
        )
    }
    return findings
  } finally {
    await holdfast.close()
    disconnect()
  }
}

async function leftInCache({ cache }: Topology, resources: readonly Resource[]): Promise<Finding[]> {
  if (!cache) return []
  const names = resources.flatMap(locksOf)
  const items = await Promise.all(names.map((name) => raw(cache, `mg ${keyOf(name)} k v t`)))
  return items.filter((item) => item.startsWith('VA')).map((item) => leftover(`item ${item.trim()}`))
}
