import { aFence, aText, aTime, aWhole, type Read } from '../rows/parts.js'
import { type Keyspace, type Packed, sinceIn } from '../rows/shape.js'
import type { Database } from './database.js'

/** A lease may have none. */
const anEnd: Read<number> = (found, where) => (found === Infinity ? Infinity : aTime(found, where))

export function readRow(database: Database, keyspace: Keyspace, name: string): Packed | undefined {
  const [row] = database.all(
    // A token may be greater than a number of JavaScript can tell.
    `SELECT owner, holds, ends_at, CAST(fence AS TEXT) AS fence, waiting, rest
    FROM holdfast_rows WHERE keyspace = ? AND name = ?`,
    keyspace,
    name,
  )
  if (!row) return undefined
  const [owner, holds, endsAt, fence, waiting, rest] = row
  const token = fence === null ? undefined : BigInt(aFence(fence, 'fence'))
  const clients = aText(waiting, 'waiting')
  return {
    owner: owner === null ? undefined : aText(owner, 'owner'),
    holds: aWhole(holds, 'holds'),
    endsAt: endsAt === null ? undefined : anEnd(endsAt, 'ends_at'),
    since: sinceIn(owner, token),
    fence: token,
    waiting: clients === '' ? [] : clients.split(' '),
    rest: rest === null ? undefined : aText(rest, 'rest'),
  }
}

export function writeRow(database: Database, keyspace: Keyspace, name: string, packed: Packed): void {
  const { owner = null, holds, endsAt = null, fence = null, waiting, rest = null } = packed
  database.run(
    `INSERT INTO holdfast_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET owner = excluded.owner, holds = excluded.holds, ends_at = excluded.ends_at,
    fence = excluded.fence, waiting = excluded.waiting, rest = excluded.rest, changed_at = excluded.changed_at`,
    keyspace,
    name,
    owner,
    holds,
    endsAt,
    fence,
    waiting.join(' '),
    rest,
    database.now,
  )
}

/** A text that may have a NUL, read as `hex(…)`: some versions of the drivers end a text there. */
export function readText(hex: unknown): string {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString() : ''
}
