import { SystemClock } from '../../../src/base/time/clock.js'
import { Schedule } from '../../../src/base/time/schedule.js'
import type { RowSession } from '../../../src/stores/rows/rows.js'
import { type Keyspace, NO_ROW, type Packed, type Shape } from '../../../src/stores/rows/shape.js'
import { rowsAt } from '../route.js'
import { type Database, operating, WORKER } from '../topologies/database.js'
import type { Topology, TopologyName } from '../topologies/topology.js'
import { type Finding, finding, leftover } from './finding.js'
import type { PlacesLeft } from './places-left.js'

/** The keyspaces whose rows are held, or free. */
const HELD: readonly Keyspace[] = ['lock', 'read-write']
/** Those whose rows only keep numbers, and who waits. */
const NUMBERS: readonly Keyspace[] = ['semaphore', 'permits', 'latch']

/** What the rows of a database still have: who holds, who waits; and the connections of workers. A row that is free may stay. */
export async function leftInRows(
  { name, direct, database }: Topology,
  places: PlacesLeft,
): Promise<readonly Finding[]> {
  const rows = rowsAt(direct)
  if (!rows || !database) return []
  const ignored = (): void => undefined
  const session = rows.openRows(
    {
      schedule: new Schedule(new SystemClock(), ignored),
      clientId: crypto.randomUUID(),
      watchdogLeaseMs: 30_000,
      quarantineMs: 0,
      commandTimeoutMs: 10_000,
      onError: ignored,
    },
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
