import type { Schedule } from '../../base/time/schedule.js'
import type { AcquireRequest, News, Watch } from '../../port/lock-port.js'
import type { Member } from './member.js'
import { type Pauses, QuorumWatch } from './quorum-watch.js'

/** A server forgets tickets that nobody asks with: so long after the lease of a lock that is free. */
const KEPT_MS = 10_000
const DONE = Promise.resolve(true)

/**
 * The ticket of a client that waits for one lock. It is the same on all servers, so that all prefer the same client: each server gives the next
 * of its own numbers, and the highest number counts. Once a majority knows a ticket, a client that asks later gets a higher one.
 */
class Standing {
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

interface Watched {
  readonly watches: Set<QuorumWatch>
  readonly standing: Standing
}

/**
 * The watches of one client on all servers. A message from one server wakes no waiter: an attempt succeeds only if a majority is free,
 * and returned votes are announced too, so clients whose attempts fail would wake each other for ever. The waiter wakes when a majority
 * may be free: servers that had voted for its last attempt, or have announced something since.
 */
export class QuorumWatches {
  readonly #watched = new Map<string, Watched>()

  constructor(
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly clientId: string,
  ) {}

  open(name: string, onNews: (news?: News) => void): Watch {
    const { members, schedule, clientId } = this
    const watched = this.#watched.get(name) ?? {
      watches: new Set(),
      standing: new Standing(name, clientId, members),
    }
    this.#watched.set(name, watched)
    const { watches, standing } = watched
    const watch = new QuorumWatch(name, members, schedule, clientId, onNews, () => {
      watches.delete(watch)
      if (watches.size > 0 || this.#watched.get(name) !== watched) return
      this.#watched.delete(name)
      standing.leave()
    })
    watches.add(watch)
    return watch
  }

  /** An attempt begins, as the watches of its lock see it: its answers cover every earlier announcement. */
  attempt({ name, waits }: AcquireRequest) {
    const watched = this.#watched.get(name)
    const watches = [...(watched?.watches ?? [])]
    for (const watch of watches) watch.asks()
    if (waits) watched?.standing.asks()
    return {
      /** Whether it may get a ticket, which the client gives back when its last watch ends. */
      stands: waits === true && watched !== undefined,
      /** The number of split votes in a row before it. */
      splitsBefore: Math.max(0, ...watches.map(({ splits }) => splits)),
      /** The client's ticket; 0: it has none. */
      ticket: watched?.standing.ticket ?? 0,
      granted: (): void => {
        watched?.standing.entered()
        for (const watch of watches) watch.splits = 0
      },
      /** The servers refused it, and it waits: the tickets that it has, by server. */
      waits: (tickets: ReadonlyMap<number, number>): void => {
        if (!watched) return
        const { standing } = watched
        if (this.#watched.get(name) === watched) standing.waits(tickets)
        else {
          // Its last watch has ended meanwhile, and a later request for a vote has renewed the ticket.
          standing.asks()
          standing.leave()
        }
      },
      /** @param grants the servers that had voted for it, and are free again */
      refused: (grants: readonly number[], pauses: Pauses): void => {
        for (const watch of watches) watch.refused(grants, pauses)
      },
    }
  }

  /** Whether the client may have a ticket that it gives back when its last watch of that lock ends. */
  stands(name: string): boolean {
    return this.#watched.get(name)?.standing.asked ?? false
  }

  close(): void {
    for (const { watches } of [...this.#watched.values()]) for (const watch of [...watches]) watch.close()
  }
}
