import { type Answered, anAnswer, answeredWith, forgottenAt } from './answered-requests.js'
import { textOf } from './letters.js'
import { Listeners } from './listeners.js'
import { aListOf, aRecordOf, aText, aTime, aWhole, jsonIn, partsOf, type Read } from './parts.js'
import type { Draft } from './rows.js'
import { type Packed, restOf, type Shape } from './shape.js'

/** Taken permits, and when their lease ends; never, where there is no time. */
export interface Taken {
  readonly permits: number
  endsAt?: number
}

/** Permits as their row keeps them: how many are available, and who has taken how many. */
export interface PermitsBody {
  /** Undefined where no number was ever set. */
  available?: number | undefined
  /** When all of it is gone; never, where there is no time. */
  goneAt?: number | undefined
  readonly taken: Record<string, Taken>
  readonly answered: Answered<boolean | number>
  readonly listeners: string[]
}

const aRest: Read<Partial<PermitsBody>> = partsOf(
  {},
  {
    taken: aRecordOf(aText, partsOf({ permits: aWhole }, { endsAt: aTime })),
    answered: answeredWith(anAnswer),
    listeners: aListOf(aText),
    available: aWhole,
    goneAt: aTime,
  },
)

/** The permits of either kind of semaphore. */
export function permitsIn(keyspace: 'semaphore' | 'permits'): Shape<PermitsBody> {
  return {
    keyspace,
    blank: () => ({ taken: {}, answered: {}, listeners: [] }),
    pack: (body): Packed => {
      const taken = Object.values(body.taken)
      const ends = taken.map(({ endsAt = Infinity }) => endsAt)
      const { answered, available, goneAt = available === undefined ? 0 : Infinity, listeners } = body
      const blank = available === undefined && listeners.length === 0 && isEmpty(answered)
      const until = listeners.length > 0 ? Infinity : Math.max(goneAt, forgottenAt(answered))
      return {
        owner: undefined,
        holds: taken.reduce((sum, { permits }) => sum + permits, 0),
        endsAt: taken.length > 0 ? Math.max(...ends) : undefined,
        fence: undefined,
        waiting: listeners,
        rest: restOf(blank ? {} : body, until),
      }
    },
    unpack: ({ rest }): PermitsBody => {
      const {
        taken = {},
        answered = {},
        listeners = [],
        available,
        goneAt,
      } = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
      return { available, goneAt, taken, answered, listeners }
    },
  }
}

/** One semaphore while its row is changed, with the permits of ended leases given back. */
export class Permits {
  readonly listeners: Listeners
  readonly now: number

  constructor(
    shape: Shape<PermitsBody>,
    name: string,
    private readonly draft: Draft<PermitsBody>,
    /** The client behind an entry, where it can be told. */
    clientOfTaker: (taker: string) => string | undefined,
  ) {
    const { body, now } = draft
    this.now = now
    this.listeners = new Listeners(body.listeners, {
      now,
      reaches: (client) => draft.reaches(client),
      tell: (client, told) => draft.tell(client, { keyspace: shape.keyspace, name, text: textOf(told) }),
    })
    if (body.goneAt !== undefined && body.goneAt <= now) this.#forget()
    const ended = Object.entries(body.taken).filter(([taker, { endsAt = Infinity }]) => {
      const client = endsAt <= now ? undefined : clientOfTaker(taker)
      return endsAt <= now || (client !== undefined && draft.ended(client))
    })
    if (this.giveBack(ended.map(([taker]) => taker)) > 0) this.announce()
  }

  /** Whether a number was ever set. */
  get isSet(): boolean {
    return this.draft.body.available !== undefined
  }

  get available(): number {
    return this.draft.body.available ?? 0
  }

  set available(permits: number) {
    this.draft.body.available = permits
  }

  get taken(): Readonly<Record<string, Taken>> {
    return this.draft.body.taken
  }

  get answered(): PermitsBody['answered'] {
    return this.draft.body.answered
  }

  create(permits: number, ttlMs = Infinity): void {
    this.draft.body.available = permits
    this.draft.body.goneAt = finite(this.now + ttlMs)
  }

  take(taker: string, permits: number, leaseMs: number): void {
    const endsAt = finite(this.now + leaseMs)
    this.draft.body.taken[taker] = { permits, ...(endsAt !== undefined && { endsAt }) }
    this.available -= permits
  }

  /** The lease lasts at least so long from now. */
  extend(taker: string, leaseMs: number): void {
    const taken = this.draft.body.taken[taker]
    if (taken?.endsAt !== undefined) this.endIn(taker, Math.max(leaseMs, taken.endsAt - this.now))
  }

  /** Sets when the lease ends. */
  endIn(taker: string, leaseMs: number): void {
    const taken = this.draft.body.taken[taker]
    if (!taken) return
    const endsAt = finite(this.now + leaseMs)
    if (endsAt === undefined) delete taken.endsAt
    else taken.endsAt = endsAt
  }

  /** Gives back what each of them has taken; returns how many permits those were. */
  giveBack(takers: Iterable<string>): number {
    const { taken } = this.draft.body
    let permits = 0
    for (const taker of takers) {
      permits += taken[taker]?.permits ?? 0
      delete taken[taker]
    }
    if (permits > 0) this.available += permits
    return permits
  }

  /** How long until the first lease ends; Infinity where none does. */
  get firstEndMs(): number {
    const ends = Object.values(this.taken).map(({ endsAt = Infinity }) => endsAt - this.now)
    return Math.min(Infinity, ...ends)
  }

  /** How much longer that lease lasts: 0 where there is none. */
  leaseMs(taker: string): number {
    const taken = this.taken[taker]
    return taken ? (taken.endsAt ?? Infinity) - this.now : 0
  }

  /** Tells waiters how many permits are available. Returns how many other clients those are. */
  announce(by?: string): number {
    return this.listeners.announce({ room: this.available }, by)
  }

  #forget(): void {
    const { body } = this.draft
    body.available = undefined
    body.goneAt = undefined
    for (const taker of Object.keys(body.taken)) delete body.taken[taker]
  }
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}
