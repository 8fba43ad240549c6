import { SystemClock } from '../../../src/base/time/clock.js'
import { Holdfast } from '../../../src/index.js'
import { keyOf } from '../../../src/stores/memcached/key.js'
import type { RowSession } from '../../../src/stores/rows/rows.js'
import { type Keyspace, NO_ROW, type Packed, type Shape } from '../../../src/stores/rows/shape.js'
import { raw } from '../../memcached/raw.js'
import { withAdmin } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'
import { rowSettings } from '../../setup/row-settings.js'
import type { Fault, WorkerHistory } from '../history/history.js'
import type { Room } from '../history/room.js'
import type { Nemesis } from '../nemeses/nemesis.js'
import { locksOf, PERMITS, type Resource } from '../program/resource.js'
import { rowsAt, storeAt } from '../route.js'
import { type Database, operating, WORKER } from '../topologies/database.js'
import type { Topology, TopologyName } from '../topologies/topology.js'
import { type Finding, finding, leftover } from './finding.js'

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

/** The keyspaces whose rows are held, or free. */
const HELD: readonly Keyspace[] = ['lock', 'read-write']
/** Those whose rows only keep numbers, and who waits. */
const NUMBERS: readonly Keyspace[] = ['semaphore', 'permits', 'latch']

/** What the rows of a database still have: who holds, who waits; and the connections of workers. A row that is free may stay. */
async function leftInRows(
  { name, direct, database }: Topology,
  places: PlacesLeft,
): Promise<readonly Finding[]> {
  const rows = rowsAt(direct)
  if (!rows || !database) return []
  const ignored = (): void => undefined
  const session = rows.openRows(
    { ...rowSettings(new SystemClock(), { onError: ignored }), commandTimeoutMs: 10_000 },
    { message: ignored, missed: ignored },
  )
  try {
    const found = await Promise.all(
      [...HELD, ...NUMBERS].map((keyspace) => leftIn(session, keyspace, places)),
    )
    return [...found.flat(), ...(await connectionsLeft(name, database)), ...(await bookedTwice(database))]
  } finally {
    await session.close()
  }
}

async function leftIn(session: RowSession, keyspace: Keyspace, places: PlacesLeft): Promise<Finding[]> {
  const found: Finding[] = []
  for await (const name of session.names(keyspace, '*')) {
    const { row, now } = await session.change(asKept(keyspace), name, ({ body, now }) => ({ row: body, now }))
    if (!row) continue
    const { endsAt, waiting, rest } = row
    if (HELD.includes(keyspace) && endsAt !== undefined && endsAt > now)
      found.push(leftover(`${keyspace} ${name} is held for ${(endsAt - now).toFixed(0)} ms: ${textOf(row)}`))
    // A store without messages does not say apart who waits.
    const waits = waiting.length > 0 ? waiting : clientsIn(rest)
    if (waits.length > 0 && !places.mayStay(waits, 0))
      found.push(leftover(`${keyspace} ${name} has waiters: ${textOf(row)}`))
  }
  return found
}

/** A row as it is kept, with nothing read into it. */
function asKept(keyspace: Keyspace): Shape<Packed | undefined> {
  return {
    keyspace,
    blank: () => undefined,
    unpack: (packed) => packed,
    pack: (packed) => packed ?? NO_ROW,
  }
}

function clientsIn(rest: string | undefined): string[] {
  if (rest === undefined) return []
  const { line, listeners = [] }: { line?: { processes?: object }; listeners?: string[] } = JSON.parse(rest)
  return [...Object.keys(line?.processes ?? {}), ...listeners]
}

async function connectionsLeft(name: TopologyName, database: Database): Promise<Finding[]> {
  const { product } = database
  // A pooler keeps its own.
  if (product === 'SQLite' || name === 'postgres-pooler') return []
  const statement =
    product === 'PostgreSQL'
      ? `SELECT left(query, 40) AS doing FROM pg_stat_activity WHERE usename = '${WORKER.user}' AND application_name = 'holdfast'`
      : `SELECT command AS doing FROM information_schema.processlist WHERE user = '${WORKER.user}'`
  const rows = await operating(database, ({ ask }) => ask(statement))
  return rows.map(({ doing }) => leftover(`connection of a worker: ${String(doing)}`))
}

/** Each transaction that a hold was tied to has seen those before it: no two have written the same number. */
async function bookedTwice(database: Database): Promise<Finding[]> {
  if (database.product === 'SQLite') return []
  const rows = await operating(database, ({ ask }) =>
    ask(
      'SELECT name, number, min(writer) AS one, max(writer) AS other FROM ledger GROUP BY name, number HAVING count(*) > 1',
    ),
  )
  return rows.map(({ name, number, one, other }) => {
    const what = `transactions of ${one} and ${other} that were tied to ${name} have both written ${number}`
    return finding('exclusion', { kind: String(name).split('-')[1] ?? '' }, what)
  })
}

function textOf(row: Packed): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** So long a place stays of a process that has not left: until it would have looked, and 10 s more, for which it might be away. */
const AWAY_MS = 10_000
/** So long it is remembered whose turn it is. */
const TURNS_KEPT_MS = 60_000
/** What is known of the place that was let in last, which may have ended without a word. */
const OF_THE_LAST = ['last', 'unclaimed']
const TURNS = 'ours'

type PlacesLeft = ReturnType<typeof placesLeft>

/**
 * Only those that nobody could leave: of a process that was killed, or of a client that was closed while its store was out of reach; and
 * those that stand again although they were left: by a late copy of a request, or in a replica that had not heard of the leaving. Whose
 * turn it is stays where connections broke: a new one may hear releases a moment before it counts as one of those in line.
 * @param looksMs after how long whoever waits looks by itself, at the latest
 */
export function placesLeft(
  workers: readonly WorkerHistory[],
  faults: readonly Fault[],
  { strays }: Pick<Nemesis, 'strays'>,
  looksMs: number,
) {
  const again = strays === true || faults.some(({ revives }) => revives)
  const cutOff = faults.some((fault) => fault.cutsOff)
  const unable = workers.filter(
    ({ killedAt, events }) => killedAt !== undefined || (cutOff && events.some(({ e }) => e === 'reopened')),
  )
  const able = new Set(workers.filter((worker) => !unable.includes(worker)).flatMap(clientsOf))
  return {
    /**
     * @param of what a key tells of: the clients of its places, or the fields of the processes in line
     * @param leftMs its time to live
     */
    mayStay(of: readonly string[], leftMs: number): boolean {
      const turns = of.includes(TURNS)
      const clients = of.filter((field) => field !== TURNS && !OF_THE_LAST.includes(field))
      return (
        (!turns || cutOff) &&
        clients.every((client) => again || (unable.length > 0 && !able.has(client))) &&
        leftMs >= 0 &&
        leftMs <= (turns ? TURNS_KEPT_MS : looksMs + AWAY_MS)
      )
    },
  }
}

function clientsOf({ events }: WorkerHistory): string[] {
  return events.flatMap((event) => (event.e === 'call' && event.owner?.split(':')[0]) || [])
}
