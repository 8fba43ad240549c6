import { StoreError } from '../../base/errors/errors.js'

/** Rows of different keyspaces have nothing to do with each other, whatever their names. */
export type Keyspace = 'lock' | 'read-write' | 'semaphore' | 'permits' | 'latch' | 'value' | 'edges'

/** What a row of one keyspace says, and how to pack it. */
export interface Shape<Body> {
  readonly keyspace: Keyspace
  blank(): Body
  pack(body: Body): Packed
  unpack(packed: Packed): Body
}

/** A row as a table with columns keeps it, readable for an operator too. */
export interface Packed {
  /** Who holds it, where at most one does. */
  readonly owner: string | undefined
  /** How many holds there are. */
  readonly holds: number
  /** When the lease ends, in milliseconds since 1970; undefined if nobody holds anything, Infinity if it never ends. */
  readonly endsAt: number | undefined
  /**
   * Since when its owner has it, in milliseconds since 1970. A table needs no column for it: each tenure of a lock that one owner has at a
   * time has a token, and where the clock gives the tokens, they tell the time.
   */
  readonly since?: number | undefined
  /** The last token given. */
  readonly fence: bigint | undefined
  /** The clients that wait. */
  readonly waiting: readonly string[]
  /**
   * Everything else, in JSON; undefined if there is nothing else. If it begins with `until`, in milliseconds since 1970, the row means nothing
   * from that time on unless it changes before: a store may then remove it.
   */
  readonly rest: string | undefined
}

/** A row that means nothing, or is not there. */
export const NO_ROW: Packed = {
  owner: undefined,
  holds: 0,
  endsAt: undefined,
  fence: undefined,
  waiting: [],
  rest: undefined,
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

/** When the tenure with that token began, where tokens are of the store's clock, in microseconds. */
export function sinceIn(owner: unknown, fence: bigint | undefined): number | undefined {
  return typeof owner !== 'string' || fence === undefined ? undefined : Number(fence / 1_000n)
}

/** The time itself, unless the clock has gone back behind it: then nobody knows since when the lock is held. */
export function sinceBefore(now: number, since = Infinity): number | undefined {
  return since <= now ? since : undefined
}

/** `rest` of a row with these parts, which say nothing after `until`; Infinity where they always do. */
export function restOf(parts: object, until: number): string | undefined {
  if (Object.keys(parts).length === 0) return undefined
  return JSON.stringify(until < Infinity ? { until, ...parts } : parts)
}

/** The error for a row that says something else than Holdfast writes. */
export function unreadableRow(command: string, lockName: string, cause: unknown): StoreError {
  const hint =
    'Holdfast cannot read the row: another program may have written it. Delete the row, or use another name.'
  return new StoreError('wrong-type', command, { lockName, cause, transient: false, hint })
}
