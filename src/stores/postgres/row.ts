import { aListOf, anObject, anOwner, aText, aTime, jsonIn } from '../rows/parts.js'
import type { Standing, Versioned } from '../rows/rows.js'
import { sinceIn } from '../rows/shape.js'
import { number, oneOf, only, type SqlRow, text, whole } from '../sql/connection.js'

/**
 * Reads a row as the statements of this folder return it: the server's clock, and the row if there is one.
 * @param askedAt when the client sent the statement, if it does not use the answer at once
 */
export function readVersioned(answer: SqlRow, askedAt?: number): Versioned {
  const row = jsonIn(aText(answer['row'], 'row'), 'row', anObject)
  const now = number(row, 'now')
  const version = 'version' in row ? whole(row, 'version') : undefined
  const token = version === undefined ? undefined : whole(row, 'fence')
  return {
    packed:
      version === undefined
        ? undefined
        : {
            owner: text(row, 'owner'),
            holds: number(row, 'holds'),
            endsAt: row['ends_at'] === null ? undefined : number(row, 'ends_at'),
            since: sinceIn(row['owner'], token),
            fence: token,
            waiting: texts(row, 'waiting'),
            rest: text(row, 'rest'),
          },
    version: version ?? 0n,
    now,
    askedAt,
    unreachable: new Set(texts(row, 'gone')),
    endedTies: new Set(texts(row, 'ended_ties')),
  }
}

/** Whether a statement has changed its row, which returns nothing where it has not. */
export function isDone(rows: readonly SqlRow[]): boolean {
  return rows.length > 0 && oneOf(only(rows), 'done', 't') === 't'
}

/** Reads the place that a statement added to a line; undefined if it added none. */
export function readStanding(rows: readonly SqlRow[], askedAt: number): Standing | undefined {
  if (rows.length === 0) return undefined
  const row = jsonIn(aText(only(rows)['standing'], 'standing'), 'standing', anObject)
  const holder = anOwner(row['holder'], 'holder')
  return {
    holder,
    since: sinceIn(holder, whole(row, 'fence')),
    endsAt: aTime(row['endsAt'], 'endsAt'),
    now: number(row, 'now'),
    askedAt,
  }
}

const someTexts = aListOf(aText)

function texts(row: SqlRow, column: string): string[] {
  // The statement leaves out what nothing can stand in.
  return someTexts(row[column] ?? [], column)
}
