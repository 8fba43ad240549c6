import type { AcquireRequest } from '../../port/lock-port.js'
import type { Member } from './member.js'

/** A server forgets tickets that nobody asks with: so long after the lease of a lock that is free. */
const KEPT_MS = 10_000
const DONE = Promise.resolve(true)

/**
 * The ticket of a client that waits for one lock. It is the same on all servers, so that all prefer the same client: each server gives the next
 * of its own numbers, and the highest of them counts. A client that asks after a majority knows a ticket gets a higher one.
 */
export class Standing {
  /** 0: none. */
  ticket = 0
  /** Whether servers may have one. */
  asked = false

  constructor(
    private readonly name: string,
    private readonly clientId: string,
    private readonly members: readonly Member[],
  ) {}

  /** Notes a request that gets a ticket. */
  asks(): void {
    this.asked = true
  }

  waits(tickets: ReadonlyMap<number, number>): void {
    this.ticket = Math.max(this.ticket, ...tickets.values())
    for (const [index, ticket] of tickets) {
      if (ticket === this.ticket) continue
      const { port } = this.members[index] ?? {}
      // A server that does not hear of it may prefer another client; the next request tells it.
      port?.setTicket?.(this.name, this.clientId, this.ticket).catch(() => undefined)
    }
  }

  /** Its client has the lock: what ends the hold gives the ticket back. */
  entered(): void {
    this.ticket = 0
    this.asked = false
  }

  /** None of its client waits any more. */
  leave(): void {
    if (!this.asked) return
    this.entered()
    const { name, clientId } = this
    const nothing: AcquireRequest = { name, owner: `${clientId}:0`, heldBefore: 0, leaseMs: KEPT_MS }
    for (const { backlog } of this.members) void backlog.giveBack(nothing, DONE)
  }
}
