import { type Answered, anAnswer, answeredWith, forgottenAt } from '../rows/answered-requests.js'
import { aListOf, aText, aTime, aWhole, jsonIn, partsOf, type Read } from '../rows/parts.js'
import { NO_ROW, restOf, type Shape } from '../rows/shape.js'
import { rowIn } from './cell-table.js'
import type { Cell } from './cells.js'
import type { Line } from './line.js'
import type { SessionLink } from './link.js'
import type { LockName } from './lock-name.js'
import { permitsOf, takersIn } from './turns.js'

/**
 * How many permits a semaphore has, as its cell says. Only its line says who has how many; clients compute the number of free ones from both,
 * and nobody stores it, so that no count can go wrong.
 */
export interface PermitNumber {
  /** Taken ones included; undefined where no number was ever set. */
  permits?: number | undefined
  /** When the semaphore expires; never without a time. */
  goneAt?: number | undefined
  /** The entries that had permits when the number became too small for them: they keep theirs. */
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

/** A line, and what there is of permits, where there are permits. */
export interface Seen {
  readonly line: Line
  readonly number?: PermitNumber
}

/** Reads a line, and the number of permits in its cell. */
export async function readBeside(
  { cells }: Pick<SessionLink, 'cells'>,
  lock: LockName,
): Promise<Required<Seen>> {
  const { cell, line } = await cells.readBeside({ space: 'semaphore', name: lock.name }, lock)
  return { line, number: numberIn(cell, cells.now()) }
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

/** How long until the semaphore expires; Infinity where it does not. */
export function goneInMs({ goneAt = Infinity }: PermitNumber, { cells }: Pick<SessionLink, 'cells'>): number {
  return Math.max(goneAt - cells.now(), 0)
}

/** Drops an expired number. */
export function asOf(body: PermitNumber, now: number): PermitNumber {
  if (body.goneAt === undefined || body.goneAt > now) return body
  body.permits = undefined
  body.goneAt = undefined
  body.kept = []
  return body
}
