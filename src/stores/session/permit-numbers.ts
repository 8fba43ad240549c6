import { type Answered, anAnswer, answeredWith, forgottenAt, once } from '../rows/answered-requests.js'
import { aListOf, aText, aTime, aWhole, jsonIn, partsOf, type Read } from '../rows/parts.js'
import type { RowClient } from '../rows/row-client.js'
import { NO_ROW, restOf, type Shape } from '../rows/shape.js'
import { rowIn, writeOf } from './cell-table.js'
import type { Cell } from './cells.js'
import type { Line } from './line.js'
import type { LockName } from './lock-name.js'
import type { Places } from './places.js'
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

const shape: Shape<PermitNumber> = {
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
  return asOf(shape.unpack(rowIn(cell) ?? NO_ROW), now)
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

/** The numbers of permits, as one client changes them. */
export class PermitNumbers {
  constructor(
    private readonly client: RowClient,
    private readonly places: Places,
  ) {}

  trySet(name: string, permits: number, request: string, ttlMs = Infinity): Promise<boolean> {
    return this.#change(name, request, (body, now) => {
      if (body.permits !== undefined) return false
      body.permits = permits
      body.goneAt = ttlMs === Infinity ? undefined : now + ttlMs
      return true
    })
  }

  /** Returns whether it did; not if it is only to be where a number was ever set. */
  async add(name: string, delta: number, request: string, onlyIfSet: boolean): Promise<boolean> {
    const line = delta < 0 ? await this.places.link.read(lockOf(name)) : []
    return await this.#change(name, request, (body) => {
      if (onlyIfSet && body.permits === undefined) return false
      const having = havingIn(line, body)
      body.permits = (body.permits ?? 0) + delta
      const fit = new Set(takersIn(line, body.permits))
      const kept = having.filter((entry) => !fit.has(entry)).map(({ key }) => key)
      body.kept = [...new Set([...(delta < 0 ? [] : body.kept), ...kept])]
      return true
    })
  }

  /**
   * Takes all that nobody wants who came before. Whoever comes meanwhile stands behind this in line, and has nothing before the number is
   * the smaller one.
   */
  async drain(name: string, request: string): Promise<number> {
    const { places } = this
    const { cells } = places.link
    const cell = { space: 'semaphore', name } as const
    const lock = lockOf(name)
    const attempt = async (key: string, ahead: Line): Promise<number | undefined> => {
      const seen = await cells.read(cell)
      const now = cells.now()
      const body = numberIn(seen, now)
      const { permits } = body
      if (permits === undefined) return 0
      const drained = once(body.answered, now, request, () => {
        const free = Math.max(permits - sumOf(ahead), 0)
        body.permits = permits - free
        return free
      })
      const { version } = seen
      const write = { cell, version, whileStands: { lock, key }, ...writeOf(shape.pack(body), now) }
      return (await cells.write(write)) === undefined ? undefined : Number(drained)
    }
    for (;;) {
      const drained = await places.barring(lock, attempt)
      if (drained !== undefined) return drained
    }
  }

  #change(
    name: string,
    request: string,
    carryOut: (body: PermitNumber, now: number) => boolean,
  ): Promise<boolean> {
    return this.client.change(shape, name, ({ body, now }) => {
      asOf(body, now)
      return once(body.answered, now, request, () => carryOut(body, now)) === true
    })
  }
}

export function lockOf(name: string): LockName {
  return { keyspace: 'semaphore', name }
}

/** Forgets what is gone by then. */
function asOf(body: PermitNumber, now: number): PermitNumber {
  if (body.goneAt === undefined || body.goneAt > now) return body
  body.permits = undefined
  body.goneAt = undefined
  body.kept = []
  return body
}
