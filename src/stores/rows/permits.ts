import type { Owner } from '../../base/identity/owner.js'
import { modeOf, ownerOf, type Place } from '../line/place.js'
import { type Answered, anAnswer, answeredWith, forgottenAt } from './answered-requests.js'
import { wayOf } from './letters.js'
import { aLine, Line, type LineBody, noLine, quietFrom } from './line.js'
import { aPlace, aRecordOf, aText, aTime, aWhole, jsonIn, partsOf, type Read } from './parts.js'
import type { Draft } from './rows.js'
import { NO_ROW, type Packed, restOf, type Shape } from './shape.js'

/** How long new calls may pass a first in line that wants more than there is. As in `lua/permits-acquire.lua`. */
const OVERTAKEN_MS = 2_000

/** Taken permits, and the end of their lease; without a time it never ends. */
export interface Taken {
  readonly permits: number
  endsAt?: number
}

/** Permits as their row keeps them: how many are available, who has taken how many, and who waits. A place's mode says how many it wants. */
export interface PermitsBody {
  /** Undefined until somebody sets a number. */
  available?: number | undefined
  /** When the semaphore expires; never without a time. */
  goneAt?: number | undefined
  readonly taken: Record<string, Taken>
  readonly answered: Answered<boolean | number>
  readonly line: LineBody
  /** Who is first in line, and since when. */
  first?: { readonly place: Place; readonly since: number } | undefined
}

const aRest: Read<Partial<PermitsBody>> = partsOf(
  {},
  {
    taken: aRecordOf(aText, partsOf({ permits: aWhole }, { endsAt: aTime })),
    answered: answeredWith(anAnswer),
    line: aLine,
    first: partsOf({ place: aPlace, since: aTime }, {}),
    available: aWhole,
    goneAt: aTime,
  },
)

/** The permits of either kind of semaphore. */
export function permitsIn(keyspace: 'semaphore' | 'permits'): Shape<PermitsBody> {
  return {
    keyspace,
    blank: () => ({ taken: {}, answered: {}, line: noLine() }),
    pack: ({ line, first, ...body }): Packed => {
      const taken = Object.values(body.taken)
      const ends = taken.map(({ endsAt = Infinity }) => endsAt)
      const { answered, available, goneAt = available === undefined ? 0 : Infinity } = body
      const waits = line.places.length > 0
      const blank = available === undefined && !waits && Object.keys(answered).length === 0
      return {
        ...NO_ROW,
        holds: taken.reduce((sum, { permits }) => sum + permits, 0),
        endsAt: taken.length > 0 ? Math.max(...ends) : undefined,
        waiting: Object.keys(line.processes),
        rest: restOf(
          blank ? {} : { ...body, ...(waits && { line, first }) },
          Math.max(goneAt, forgottenAt(answered), quietFrom(line)),
        ),
      }
    },
    unpack: ({ rest }): PermitsBody => {
      const found = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
      const { taken = {}, answered = {}, line = noLine(), first, available, goneAt } = found
      return { available, goneAt, taken, answered, line, first }
    },
  }
}

/** The keys under which a row keeps an owner's permits. */
export interface Entries {
  /** New keys for that many permits, with the number under each. */
  of(owner: Owner, permits: number): ReadonlyMap<string, number>
  /** The keys of that owner's permits. */
  takenBy(owner: Owner, taken: PermitsBody['taken']): readonly string[]
  /** The owner that inspection shows for a key. */
  ownerOf(taker: string): Owner | undefined
  /** The client of a holder, where the store knows it. */
  clientOf(taker: string): string | undefined
}

/** One semaphore during a change of its row; it has taken back the permits of ended leases. */
export class Permits {
  readonly body: PermitsBody
  readonly line: Line<Place>
  readonly now: number

  constructor(
    { keyspace }: Shape<PermitsBody>,
    private readonly entries: Entries,
    name: string,
    draft: Draft<PermitsBody>,
  ) {
    const { body, now } = draft
    this.body = body
    this.now = now
    this.line = new Line(body.line, wayOf(draft, keyspace, name), {
      holds: (owner) => this.takenBy(owner).length > 0,
      admits: (place) => this.available >= Number(modeOf(place)),
      grant: (place, leaseMs) => this.take(ownerOf(place), Number(modeOf(place)), leaseMs),
      lastsMs: () => this.lastsMs,
      obstacleMs: () => this.firstEndMs,
    })
    if (body.goneAt !== undefined && body.goneAt <= now) this.#forget()
    const ended = Object.entries(body.taken).filter(([taker, { endsAt = Infinity }]) => {
      const client = endsAt <= now ? undefined : entries.clientOf(taker)
      return endsAt <= now || (client !== undefined && draft.ended(client))
    })
    this.giveBack(ended.map(([taker]) => taker))
  }

  /** Whether a number was ever set. */
  get isSet(): boolean {
    return this.body.available !== undefined
  }

  get available(): number {
    return this.body.available ?? 0
  }

  set available(permits: number) {
    this.body.available = permits
  }

  /** How many there are, taken ones included. */
  get permits(): number {
    return Object.values(this.body.taken).reduce((sum, { permits }) => sum + permits, this.available)
  }

  takenBy(owner: Owner): readonly string[] {
    return this.entries.takenBy(owner, this.body.taken)
  }

  create(permits: number, ttlMs = Infinity): void {
    this.body.available = permits
    this.body.goneAt = finite(this.now + ttlMs)
  }

  take(owner: Owner, permits: number, leaseMs: number): undefined {
    const endsAt = this.#endOf(leaseMs)
    for (const [taker, each] of this.entries.of(owner, permits))
      this.body.taken[taker] = { permits: each, ...(endsAt !== undefined && { endsAt }) }
    this.available -= permits
  }

  /** Whether a call outside the line may take permits that are too few for the first in it. */
  get mayPass(): boolean {
    const { first } = this.body
    return first === undefined || this.now - first.since <= OVERTAKEN_MS
  }

  /** Grants available permits along the line, as far as they go. The head looks when the first lease ends. */
  passOn(): void {
    this.line.advance()
    this.line.callHead()
    const { body } = this
    const { head } = this.line
    if (head !== body.first?.place) body.first = head && { place: head, since: this.now }
  }

  /** The lease lasts at least so long from now. */
  extend(taker: string, leaseMs: number): void {
    const taken = this.body.taken[taker]
    if (taken?.endsAt !== undefined) this.endIn(taker, Math.max(leaseMs, taken.endsAt - this.now))
  }

  /** Sets when the lease ends. */
  endIn(taker: string, leaseMs: number): void {
    const taken = this.body.taken[taker]
    if (!taken) return
    const endsAt = this.#endOf(leaseMs)
    if (endsAt === undefined) delete taken.endsAt
    else taken.endsAt = endsAt
  }

  /** Gives back what each of them has taken; returns how many permits those were. */
  giveBack(takers: Iterable<string>): number {
    const { taken } = this.body
    let permits = 0
    for (const taker of takers) {
      permits += taken[taker]?.permits ?? 0
      delete taken[taker]
    }
    if (permits > 0) this.available += permits
    return permits
  }

  /** How long until the semaphore expires; Infinity where it does not. */
  get lastsMs(): number {
    return (this.body.goneAt ?? Infinity) - this.now
  }

  /** How long until the first lease ends, or the semaphore expires; Infinity where neither does. */
  get firstEndMs(): number {
    const ends = Object.values(this.body.taken).map(({ endsAt = Infinity }) => endsAt - this.now)
    return Math.min(this.lastsMs, ...ends)
  }

  /** How much longer that lease lasts: 0 where there is none. */
  leaseMs(taker: string): number {
    const taken = this.body.taken[taker]
    return taken ? (taken.endsAt ?? Infinity) - this.now : 0
  }

  /** What is taken ends with the semaphore. */
  #endOf(leaseMs: number): number | undefined {
    return finite(this.now + Math.min(leaseMs, this.lastsMs))
  }

  #forget(): void {
    const { body } = this
    body.available = undefined
    body.goneAt = undefined
    for (const taker of Object.keys(body.taken)) delete body.taken[taker]
  }
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}
