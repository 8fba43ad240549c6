import type { Owner } from '../../base/identity/owner.js'
import type { KeptValue } from '../../port/kind-ports.js'
import { clientOf, modeOf, ownerOf, type Place } from '../line/place.js'
import { wayOf } from './letters.js'
import { aLine, Line, type LineBody, noLine, quietFrom, type Way } from './line.js'
import { Listeners } from './listeners.js'
import { nextFence } from './next-fence.js'
import { aFlag, aListOf, anOwner, aRecordOf, aText, aTime, jsonIn, partsOf, type Read } from './parts.js'
import type { Draft } from './rows.js'
import { type Packed, restOf, type Shape, sinceBefore } from './shape.js'
import { noTickets, Tickets, type TicketsBody, theTickets } from './tickets.js'
import { TIED_LOOK_MS, type Tied } from './ties.js'
import type { Told } from './told.js'

/** How an owner holds a lock: alone, or alone with a token. */
export type Mode = (typeof modes)[number]
export const modes = ['x', 'f'] as const

/** A lock that one owner has at a time, as its row keeps it. */
export interface ExclusiveBody {
  owner: Owner | undefined
  holds: number
  endsAt: number
  /** Since when its owner has it; undefined if nobody has. */
  since: number | undefined
  /** The last token given. */
  fence: bigint | undefined
  /** Open transactions, and the owner for whom each keeps the lock, whatever becomes of the lease. */
  readonly ties: Tied<Owner>
  /** Set if the holder's process may keep the lock after its release. `told`: that process knows that others ask. */
  lingers: { told: boolean } | undefined
  readonly line: LineBody
  readonly listeners: string[]
  readonly tickets: TicketsBody
  /** The value of `computeOnce` beside the lock of that name. */
  value: { readonly text: string; readonly until: number } | undefined
}

/** The parts without a column of their own. */
type Rest = Partial<Pick<ExclusiveBody, 'ties' | 'lingers' | 'line' | 'listeners' | 'tickets' | 'value'>>

const aRest: Read<Rest> = partsOf(
  {},
  {
    ties: aRecordOf(aText, anOwner),
    lingers: partsOf({ told: aFlag }, {}),
    line: aLine,
    listeners: aListOf(aText),
    tickets: theTickets,
    value: partsOf({ text: aText, until: aTime }, {}),
  },
)

export const exclusiveLocks: Shape<ExclusiveBody> = {
  keyspace: 'lock',
  blank: () => ({
    owner: undefined,
    holds: 0,
    endsAt: 0,
    since: undefined,
    fence: undefined,
    ties: {},
    lingers: undefined,
    line: noLine(),
    listeners: [],
    tickets: noTickets(),
    value: undefined,
  }),
  pack: ({ owner, holds, endsAt, since, fence, ...others }): Packed => {
    const { ties, lingers, line, listeners, tickets, value } = others
    const tied = Object.keys(ties).length > 0
    const parts: Rest = {
      ...(tied && { ties }),
      ...(owner !== undefined && lingers && { lingers }),
      ...(line.places.length > 0 && { line }),
      ...(listeners.length > 0 && { listeners }),
      ...(Object.keys(tickets.numbers).length > 0 && { tickets }),
      ...(value && { value }),
    }
    const until = Math.max(
      owner === undefined ? 0 : endsAt,
      value?.until ?? 0,
      quietFrom(line),
      tickets.until,
    )
    // Nobody knows how long a transaction lasts, or a client listens.
    const open = tied || listeners.length > 0
    return {
      owner,
      holds,
      endsAt: owner === undefined ? undefined : endsAt,
      since,
      fence,
      waiting: [...new Set([...Object.keys(line.processes), ...listeners])],
      rest: restOf(parts, open ? Infinity : until),
    }
  },
  unpack: ({ owner, holds, endsAt = 0, since, fence, rest }): ExclusiveBody => ({
    ...exclusiveLocks.blank(),
    owner: owner === undefined ? undefined : anOwner(owner, 'owner'),
    holds,
    endsAt,
    since: owner === undefined ? undefined : since,
    fence,
    ...(rest !== undefined && jsonIn(rest, 'rest', aRest)),
  }),
}

/** One lock during a change of its row: what the scripts of `lua/parts/lock.lua` do. */
export class ExclusiveLock {
  readonly line: Line<Place>
  readonly listeners: Listeners
  /** The waiting clients' tickets, where this store has one vote of several. */
  readonly tickets: Tickets
  readonly #body: ExclusiveBody
  readonly #way: Way
  readonly #firstFence: bigint

  constructor(name: string, draft: Draft<ExclusiveBody>) {
    const { body, now } = draft
    this.#body = body
    this.#firstFence = draft.firstFence
    this.#way = wayOf(draft, exclusiveLocks.keyspace, name)
    this.listeners = new Listeners(body.listeners, this.#way)
    this.tickets = new Tickets(body.tickets, now, (turnOf) =>
      this.listeners.announce({ became: 'free', ...(turnOf !== undefined && { turnOf }) }),
    )
    this.line = new Line(body.line, this.#way, {
      holds: (owner) => body.owner === owner,
      admits: () => this.vacant,
      grant: (place, leaseMs) => this.grant(place, leaseMs),
      obstacleMs: () => this.obstacleMs,
    })
    for (const tie of Object.keys(body.ties)) if (draft.tieEnded?.(tie)) delete body.ties[tie]
    const over = body.owner !== undefined && (body.endsAt <= now || draft.ended(clientOf(body.owner)))
    if (over) this.#clear()
  }

  get now(): number {
    return this.#way.now
  }

  get owner(): Owner | undefined {
    return this.#body.owner
  }

  /** Since when its owner has it; undefined if the store's clock has gone back since then. */
  get heldSince(): number | undefined {
    return sinceBefore(this.now, this.#body.since)
  }

  get holds(): number {
    return this.#body.holds
  }

  /** The owner for whom open transactions keep it, if there are any. */
  get tiedTo(): Owner | undefined {
    const [owner] = Object.values(this.#body.ties)
    return owner
  }

  /** Whether another owner may have it now. */
  get vacant(): boolean {
    return this.owner === undefined && this.tiedTo === undefined
  }

  get lastFence(): bigint | undefined {
    return this.#body.fence
  }

  /** The time until its lease ends; 0 if it is free. */
  get remainingMs(): number {
    return this.owner === undefined ? 0 : this.#body.endsAt - this.now
  }

  /** The time until it may be vacant without a release. */
  get obstacleMs(): number {
    return this.owner === undefined && this.tiedTo !== undefined ? TIED_LOOK_MS : this.remainingMs
  }

  /** How many processes wait. */
  get waiting(): number {
    return this.line.processes + this.listeners.count
  }

  /** Grants the free lock. Returns the token, if the mode has one. */
  grant(place: Place, leaseMs: number): bigint | undefined {
    const body = this.#body
    body.holds = 1
    body.endsAt = this.now + leaseMs
    body.lingers = undefined
    return this.pass(ownerOf(place), modeOf(place))
  }

  /** Lets its client keep it after the release. */
  mayLinger(): void {
    this.#body.lingers = { told: false }
  }

  /** Whether its client may have nobody inside. */
  get lingers(): boolean {
    return this.#body.lingers !== undefined && this.owner !== undefined
  }

  /** Notes that the lock refused a call. Returns whether its client may have nobody inside, and tells that client until it has heard. */
  ask(): boolean {
    const { lingers, owner } = this.#body
    if (!lingers || owner === undefined) return false
    const client = clientOf(owner)
    if (!lingers.told && this.#way.reaches(client)) {
      this.tell(client, { asked: true })
      lingers.told = true
    }
    return true
  }

  /** Sets the owner's holds and the end of the lease. Returns whether that is sooner than before. */
  keep(holds: number, endsAt: number): boolean {
    const body = this.#body
    const sooner = endsAt < body.endsAt
    body.holds = holds
    body.endsAt = endsAt
    return sooner
  }

  /** Makes that owner the holder. Returns the token, if the mode has one. */
  pass(owner: Owner, mode: string): bigint | undefined {
    const body = this.#body
    body.owner = owner
    body.since = Math.floor(this.now)
    const fenced = mode === 'f'
    // Where tokens come from the clock, a table learns from them since when the owner has the lock.
    const fence = fenced || this.#firstFence > 1n ? this.mint() : undefined
    return fenced ? fence : undefined
  }

  mint(): bigint {
    const body = this.#body
    const minted = nextFence(body.fence, this.#firstFence)
    body.fence = minted
    return minted
  }

  /** Keeps it at least until that transaction ends, if that owner has it. Returns whether it has. */
  tie(owner: Owner, tie: string): boolean {
    if (this.owner === owner) this.#body.ties[tie] = owner
    return this.owner === owner
  }

  /** Takes the lock from its owner and grants it to the next in line, unless a transaction keeps it. Returns whether an owner held it. */
  free(): boolean {
    const { owner } = this.#body
    if (owner === undefined) return false
    this.#clear()
    this.line.settled(owner)
    this.line.advance()
    return true
  }

  tell(client: string, told: Told): void {
    this.#way.tell(client, told)
  }

  get value(): KeptValue | undefined {
    const { value } = this.#body
    if (value && value.until <= this.now) this.#body.value = undefined
    return this.#body.value && { text: this.#body.value.text, remainingMs: this.#body.value.until - this.now }
  }

  set value({ text, remainingMs }: KeptValue) {
    this.#body.value = { text, until: this.now + remainingMs }
  }

  #clear(): void {
    const body = this.#body
    body.owner = undefined
    body.since = undefined
    body.holds = 0
    body.lingers = undefined
  }
}
