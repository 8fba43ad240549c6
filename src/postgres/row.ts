import { asOwner } from '../line/place.js'
import type { Standing, Versioned } from '../rows/rows.js'
import { sinceIn } from '../rows/shape.js'
import { type SqlRow, text } from '../sql/connection.js'

/**
 * A row as the statements of this folder return it; there may be none, and still the server's clock.
 * @param askedAt when the statement was sent, if its answer is not used at once
 */
export function readVersioned(answer: SqlRow | undefined, askedAt?: number): Versioned {
  const row: SqlRow = JSON.parse(text(answer, 'row') ?? '{}')
  const version = text(row, 'version')
  const fence = text(row, 'fence')
  const endsAt = text(row, 'ends_at')
  const token = fence === undefined ? undefined : BigInt(fence)
  return {
    packed:
      version === undefined
        ? undefined
        : {
            owner: text(row, 'owner'),
            holds: Number(text(row, 'holds')),
            endsAt: endsAt === undefined ? undefined : Number(endsAt),
            since: sinceIn(row['owner'], token),
            fence: token,
            waiting: texts(row, 'waiting'),
            rest: text(row, 'rest'),
          },
    version: BigInt(version ?? 0),
    now: Number(text(row, 'now')),
    askedAt,
    unreachable: new Set(texts(row, 'gone')),
    endedTies: new Set(texts(row, 'ended_ties')),
  }
}

/** A place that was added to a line; undefined where it was not. */
export function readStanding(answer: SqlRow | undefined, askedAt: number): Standing | undefined {
  const row: SqlRow = JSON.parse(text(answer, 'standing') ?? '{}')
  const holder = asOwner(text(row, 'holder'))
  const fence = text(row, 'fence')
  if (holder === undefined) return undefined
  return {
    holder,
    since: sinceIn(holder, fence === undefined ? undefined : BigInt(fence)),
    endsAt: Number(row['endsAt']),
    looksAt: Number(row['looksAt']),
    now: Number(text(row, 'now')),
    askedAt,
  }
}

function texts(row: SqlRow, column: string): string[] {
  const list = row[column]
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
