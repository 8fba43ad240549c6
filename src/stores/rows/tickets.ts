import { aRecordOf, aText, aTime, aWhole, partsOf, type Read } from './parts.js'

/** How long the client whose turn it is has for its request, before it loses its ticket. As in `lua/parts/tickets.lua`. */
export const TURN_MS = 200
/** How much longer than the lock's lease the store keeps tickets: waiters ask again when the lease that they saw ends. */
const TICKETS_KEPT_MS = 10_000

/** The tickets of the clients that wait for a lock of which this store has one vote, as its row keeps them. */
export interface TicketsBody {
  /** By client; below zero while it has the vote. */
  numbers: Record<string, number>
  turn?: { client: string; until: number }
  until: number
}

export const theTickets: Read<TicketsBody> = partsOf(
  { numbers: aRecordOf(aText, aWhole), until: aTime },
  { turn: partsOf({ client: aText, until: aTime }, {}) },
)

export function noTickets(): TicketsBody {
  return { numbers: {}, until: 0 }
}

/** Which client the store prefers for its free vote: only a preference. The same as `lua/parts/tickets.lua`. */
export class Tickets {
  constructor(
    private readonly body: TicketsBody,
    private readonly now: number,
    private readonly announce: (turnOf: string | undefined) => void,
  ) {
    if (body.until > now) return
    body.numbers = {}
    delete body.turn
  }

  /** @param number 0: the next one, unless the client has one */
  keep(client: string, number: number, remainingMs: number): number {
    const { numbers } = this.body
    const known = Math.abs(numbers[client] ?? Math.max(0, ...Object.values(numbers).map(Math.abs)) + 1)
    const kept = number > 0 ? number : known
    numbers[client] = kept
    const lease = Number.isFinite(remainingMs) ? remainingMs : 0
    this.body.until = Math.max(this.body.until, Math.ceil(this.now + lease + TICKETS_KEPT_MS))
    return kept
  }

  /** The client has the vote (-1), or waits again (1). */
  turn(client: string, sign: 1 | -1): void {
    const { numbers } = this.body
    if (numbers[client] !== undefined) numbers[client] = sign * Math.abs(numbers[client])
  }

  /** The client has had the lock, or has left. Returns whether it was its turn. */
  drop(client: string): boolean {
    const turn = this.#turn
    delete this.body.numbers[client]
    return turn?.client === client
  }

  /** Changes the ticket of a client that has one. */
  set(client: string, number: number): void {
    const { numbers } = this.body
    if (numbers[client] !== undefined) numbers[client] = number
  }

  /** The client has left: its turn is the next one's. */
  leave(client: string, vacant: boolean): void {
    if (this.drop(client) && vacant) this.announce(this.callNext())
  }

  /** The turn of the client with the least ticket begins. */
  callNext(): string | undefined {
    const client = this.#first
    if (client === undefined) delete this.body.turn
    else this.body.turn = { client, until: Math.ceil(this.now + TURN_MS) }
    return client
  }

  /**
   * How long it is another client's turn, when that client asks for the free lock. A client that misses its turn loses its ticket. A request
   * that does not wait begins no turn: all waiters may have died.
   */
  turnOfAnother(client: string, waits: boolean): number {
    const turn = this.#turn
    if (turn && (turn.client === client || turn.until > this.now))
      return turn.client === client ? 0 : Math.min(turn.until - this.now, TURN_MS)
    if (turn) this.drop(turn.client)
    const first = this.#first
    if (!waits || first === undefined || first === client) return 0
    this.announce(this.callNext())
    return TURN_MS
  }

  get #turn(): TicketsBody['turn'] {
    const { turn, numbers } = this.body
    return turn && (numbers[turn.client] ?? 0) > 0 ? turn : undefined
  }

  /** One that has the vote does not wait: if its lease ends, its ticket holds up nobody. */
  get #first(): string | undefined {
    const inOrder = Object.entries(this.body.numbers)
      .filter(([, number]) => number > 0)
      .sort(([one, its], [other, others]) => its - others || (one < other ? -1 : 1))
    return inOrder[0]?.[0]
  }
}
