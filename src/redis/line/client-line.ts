import type { Owner } from '../../owner.js'

/** How far this machine's clock and the server's may run apart: what the server counts is taken to be a little less here. */
const DRIFT = 0.01
/** The server tells whole milliseconds, rounded down: two of its times can be that much closer than they look. */
const ROUNDED_MS = 1
/** A grant that has less of its lease left than this part is confirmed by a command, which sets the whole lease. */
const FRESH = 0.5

/** A lock that the store has granted to somebody in line: since when, never later than it was, on this machine's lease clock. */
export interface LineGrant {
  readonly since: number
  readonly leaseMs: number
}

/** A grant as the server tells of it, by its own time. */
export interface ToldGrant {
  readonly owner: Owner
  readonly serverMs: number
  readonly leaseMs: number
}

interface Place {
  /** The server's time when it was known to have the place. Absent until a first answer has come. */
  joinedAtServerMs?: number
  grant?: LineGrant | undefined
}

/** What one client knows of its own places in the line of one lock. */
export class ClientLine {
  readonly #places = new Map<Owner, Place>()
  #anchor: { readonly localMs: number; readonly serverMs: number } | undefined

  /** Whether nobody of this client is in it, as far as is known. */
  get empty(): boolean {
    return this.#places.size === 0
  }

  /** The owners that have a place by an answer of the store. */
  get standing(): readonly Owner[] {
    return [...this.#places].flatMap(([owner, { joinedAtServerMs }]) =>
      joinedAtServerMs === undefined ? [] : [owner],
    )
  }

  /** Its acquire is about to be sent, and may join the line. */
  join(owner: Owner): void {
    if (!this.#places.has(owner)) this.#places.set(owner, {})
  }

  /** It has the lock, or has left. */
  leave(owner: Owner): void {
    this.#places.delete(owner)
  }

  /** What time it was at the server, in answer to a command that was sent at `localMs`; the owner, if named, has its place. */
  heard(localMs: number, serverMs: number, owner?: Owner): void {
    // The latest tells best: the less is reckoned from it, the less two clocks can have run apart.
    if (!this.#anchor || localMs >= this.#anchor.localMs) this.#anchor = { localMs, serverMs }
    const place = owner && this.#places.get(owner)
    if (place) place.joinedAtServerMs ??= serverMs
  }

  /**
   * The store has told of a grant. Kept where it is certain to be for the place that the owner has now: a message that was
   * delayed may tell of an earlier one, which is over.
   */
  granted({ owner, serverMs, leaseMs }: ToldGrant): void {
    const place = this.#places.get(owner)
    const joinedAt = place?.joinedAtServerMs
    if (!place || joinedAt === undefined || serverMs <= joinedAt || !this.#anchor) return
    place.grant = { since: this.#localTime(serverMs, this.#anchor), leaseMs }
  }

  /** What the owner was granted, if that can still be relied on. Once: whoever asks again is to ask the store. */
  takeGrant(owner: Owner, now: number): LineGrant | undefined {
    const place = this.#places.get(owner)
    const grant = place?.grant
    if (!place || !grant) return undefined
    place.grant = undefined
    if (grant.since + grant.leaseMs * FRESH <= now) return undefined
    return { ...grant, since: Math.min(grant.since, now) }
  }

  /**
   * A time of the server on this machine's clock, never later than it was: the server read its clock after the command that it
   * answered had been sent.
   */
  #localTime(serverMs: number, anchor: { readonly localMs: number; readonly serverMs: number }): number {
    const passed = serverMs - anchor.serverMs - ROUNDED_MS
    return anchor.localMs + passed * (passed > 0 ? 1 - DRIFT : 1 + DRIFT)
  }
}
