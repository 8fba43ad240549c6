import type { Member } from './member.js'

/**
 * The ticket of a client that waits for one lock. It is the same on all servers, so that all prefer the same client: each gives the next of its
 * own numbers to one who asks, and the highest of them counts. Whoever asks later than a majority knew of it gets a higher one.
 */
export class Standing {
  /** 0: none. */
  ticket = 0

  constructor(
    private readonly name: string,
    private readonly clientId: string,
    private readonly members: readonly Member[],
  ) {}

  waits(tickets: ReadonlyMap<number, number>): void {
    this.ticket = Math.max(this.ticket, ...tickets.values())
    for (const [index, ticket] of tickets) if (ticket !== this.ticket) this.#tell(index, this.ticket)
  }

  /** Its client has the lock: its release gives the ticket back. */
  entered(): void {
    this.ticket = 0
  }

  /** None of its client waits any more. */
  leave(): void {
    if (this.ticket === 0) return
    this.ticket = 0
    for (const index of this.members.keys()) this.#tell(index, 0)
  }

  /** A server that does not hear of it lets the client's turn pass once. */
  #tell(index: number, ticket: number): void {
    const { port } = this.members[index] ?? {}
    port?.setTicket?.(this.name, this.clientId, ticket).catch(() => undefined)
  }
}
