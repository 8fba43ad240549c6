import type { Keyspace, Packed } from '../rows/shape.js'
import type { Database } from './database.js'

/** Nothing else has a row that is not there. */
export const NO_ROW: Packed = {
  owner: undefined,
  holds: 0,
  endsAt: undefined,
  fence: undefined,
  waiting: [],
  rest: undefined,
}

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
  return {
    owner: typeof owner === 'string' ? owner : undefined,
    holds: typeof holds === 'number' ? holds : 0,
    endsAt: typeof endsAt === 'number' ? endsAt : undefined,
    fence: typeof fence === 'string' ? BigInt(fence) : undefined,
    waiting: typeof waiting === 'string' && waiting !== '' ? waiting.split(' ') : [],
    rest: typeof rest === 'string' ? rest : undefined,
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

export function isSame(one: Packed, other: Packed): boolean {
  return (
    one.owner === other.owner &&
    one.holds === other.holds &&
    one.endsAt === other.endsAt &&
    one.fence === other.fence &&
    one.rest === other.rest &&
    one.waiting.join() === other.waiting.join()
  )
}

/** A text that may have a NUL, read as `hex(…)`: some versions of the drivers end a text there. */
export function readText(hex: unknown): string {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex').toString() : ''
}
