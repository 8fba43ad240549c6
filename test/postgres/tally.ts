import { randomUUID } from 'node:crypto'
import { StoreError } from '../../src/base/errors/errors.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { RowSession } from '../../src/stores/rows/rows.js'
import type { Packed, Shape } from '../../src/stores/rows/shape.js'

/** A row for tests: everything a row can say. */
export interface Tally {
  owner: string | undefined
  holds: number
  endsAt: number | undefined
  fence: bigint | undefined
  waiting: string[]
  notes: Record<string, unknown>
}

export const tallies: Shape<Tally> = {
  keyspace: 'latch',
  blank: () => ({ owner: undefined, holds: 0, endsAt: undefined, fence: undefined, waiting: [], notes: {} }),
  pack: ({ waiting, notes, ...columns }): Packed => ({
    ...columns,
    waiting: [...waiting],
    rest: Object.keys(notes).length > 0 ? JSON.stringify(notes) : undefined,
  }),
  // A row's token tells `since`, which is no column.
  unpack: ({ waiting, rest, since: _, ...columns }): Tally => ({
    ...columns,
    waiting: [...waiting],
    notes: rest === undefined ? {} : JSON.parse(rest),
  }),
}

/** The same rows in the keyspace of exclusive locks, to see what the express commands leave. */
export const locks: Shape<Tally> = { ...tallies, keyspace: 'lock' }

export function copy({ body }: { readonly body: Tally }): Tally {
  return { ...body, waiting: [...body.waiting] }
}

/** Counts in the row of that name, and says how far. */
export function add(
  { session }: { readonly session: RowSession },
  name: string = randomUUID(),
): Promise<number> {
  return session.change(tallies, name, ({ body }) => {
    body.holds += 1
    return body.holds
  })
}

export async function failureOf(work: Promise<unknown>): Promise<StoreError> {
  const error = await rejectionOf(work)
  if (error instanceof StoreError) return error
  throw error
}
