import type { Versioned } from '../rows/rows.js'
import { sinceIn } from '../rows/shape.js'
import { number, oneOf, only, type SqlRow, text, whole } from '../sql/connection.js'

/** A lease that ends after the year 8300 has no end; the column has room until 9999. */
const FOREVER_US = 200_000_000_000_000_000
const LAST_US = 253_402_300_799_000_000
const LONGEST_US = 240_000_000_000_000_000

/** A row as the statements of this folder return it; there may be none, and still the server's clock. */
export function readVersioned(row: SqlRow): Versioned {
  const version = whole(row, 'version')
  const token = whole(row, 'fence')
  return {
    packed:
      version === undefined
        ? undefined
        : {
            owner: text(row, 'owner'),
            holds: number(row, 'holds'),
            endsAt: row['ends_at'] === null ? undefined : msOf(number(row, 'ends_at')),
            since: sinceIn(row['owner'], token),
            fence: token,
            // There are no messages.
            waiting: [],
            rest: text(row, 'rest'),
          },
    version: version ?? 0n,
    now: number(row, 'now') / 1_000,
    unreachable: new Set(),
  }
}

/** Whether a statement has changed its row. */
export function isDone(rows: readonly SqlRow[]): boolean {
  return oneOf(only(rows), 'affectedRows', '0', '1') === '1'
}

/** A time in microseconds, as the column can keep it. */
export function microsecondsOf(endsAt: number): string {
  const us = Math.round(endsAt * 1_000)
  return String(BigInt(us < FOREVER_US ? us : LAST_US))
}

/** A lease in microseconds, for an addition to the time. */
export function leaseMicroseconds(leaseMs: number): string {
  return String(BigInt(Math.min(Math.round(leaseMs * 1_000), LONGEST_US)))
}

function msOf(us: number): number {
  return us < FOREVER_US ? us / 1_000 : Infinity
}
