import { type Answered, anAnswer, answeredWith, forgottenAt } from '../rows/answered-requests.js'
import { aListOf, aText, aTime, aWhole, jsonIn, partsOf, type Read } from '../rows/parts.js'
import { NO_ROW, restOf, type Shape } from '../rows/shape.js'
import { rowIn } from './cell-table.js'
import type { Cell } from './cells.js'
import type { Line } from './line.js'
import type { LockName } from './lock-name.js'
import { permitsOf, takersIn } from './turns.js'

/**
 * How many permits a semaphore has, as its cell says. Who has how many of them its line alone says: what is free is counted from both, and
 * kept nowhere, so that no count can go wrong.
 */
export interface PermitNumber {
  /** Taken ones included; undefined where no number was ever set. */
  permits?: number | undefined
  /** When all of it is gone; never, where there is no time. */
  goneAt?: number | undefined
  /** The entries that had permits when the number was made smaller, and has become too small for: they keep theirs. */
  kept: readonly string[]
  readonly answered: Answered<boolean | number>
}

const aRest: Read<Partial<PermitNumber>> = partsOf(
  {},
  { permits: aWhole, goneAt: aTime, kept: aListOf(aText), answered: answeredWith(anAnswer) },
)

export const permitNumbers: Shape<PermitNumber> = {
  keyspace: 'semaphore',
  blank: () => ({ kept: [], answered: {} }),
  pack(body) {
    const { permits, goneAt = permits === undefined ? 0 : Infinity, kept, answered } = body
    const blank = permits === undefined && Object.keys(answered).length === 0
    const parts = blank ? {} : { ...body, kept: kept.length > 0 ? kept : undefined }
    return { ...NO_ROW, rest: restOf(parts, Math.max(goneAt, forgottenAt(answered))) }
  },
  unpack: ({ rest }) => ({
    kept: [],
    answered: {},
    ...(rest === undefined ? {} : jsonIn(rest, 'rest', aRest)),
  }),
}

export function numberIn(cell: Cell, now: number): PermitNumber {
  return asOf(permitNumbers.unpack(rowIn(cell) ?? NO_ROW), now)
}

/** Those that have permits. */
export function havingIn(line: Line, { permits = 0, kept }: PermitNumber): Line {
  const takers = new Set(takersIn(line, permits))
  return line.filter((entry) => takers.has(entry) || kept.includes(entry.key))
}

/** What they have, or want. */
export function sumOf(line: Line): number {
  return line.reduce((sum, entry) => sum + permitsOf(entry), 0)
}

export function lockOf(name: string): LockName {
  return { keyspace: 'semaphore', name }
}

/** Forgets what is gone by then. */
export function asOf(body: PermitNumber, now: number): PermitNumber {
  if (body.goneAt === undefined || body.goneAt > now) return body
  body.permits = undefined
  body.goneAt = undefined
  body.kept = []
  return body
}
