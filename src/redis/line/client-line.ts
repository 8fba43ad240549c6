import { fenceIn } from '../locks/tenure-reply.js'
import type { Place, ToldGrant } from './told.js'

/** How far this machine's clock and the server's may run apart: what the server counts is taken to be a little less here. */
const DRIFT = 0.01
/** The server tells whole microseconds, rounded down: two of its times can be that much closer than they look. */
const ROUNDED_MS = 0.001
/** A grant that has less of its lease left than this part is confirmed by a command, which sets the whole lease. */
const FRESH = 0.5

/** A lock that the store has granted to somebody in line: since when, never later than it was, on this machine's lease clock. */
export interface LineGrant {
  readonly since: number
  readonly leaseMs: number
  readonly fence: bigint | undefined
}

interface Known {
  /** When an answer of the server has seen the place in line last, by the server's time. Absent until a first one has come. */
  seenUs?: number
  grant?: (LineGrant & { readonly serverUs: number }) | undefined
}

/** What one client knows of its own places in the line of one lock. */
export class ClientLine {
  readonly #places = new Map<Place, Known>()
  #anchor: { readonly localMs: number; readonly serverUs: number } | undefined

  /** How many places it has, by answers of the store and what it has told since. */
  get size(): number {
    let size = 0
    for (const { seenUs, grant } of this.#places.values()) if (seenUs !== undefined && !grant) size += 1
    return size
  }

  /** Whether it has been asked for, and has neither entered nor left since. */
  has(place: Place): boolean {
    return this.#places.has(place)
  }

  /** Whether it has that place, by an answer of the store. */
  stands(place: Place): boolean {
    return this.#places.get(place)?.seenUs !== undefined
  }

  /** An acquire is about to be sent that may join the line. */
  join(place: Place): void {
    if (!this.#places.has(place)) this.#places.set(place, {})
  }

  /** It has the lock, or has left. */
  leave(place: Place): void {
    this.#places.delete(place)
  }

  /** What time it was at the server, in answer to a command that was sent at `localMs`; the place, if named, is there. */
  heard(localMs: number, serverUs: number, place?: Place): void {
    // The latest tells best: the less is reckoned from it, the less two clocks can have run apart.
    if (!this.#anchor || localMs >= this.#anchor.localMs) this.#anchor = { localMs, serverUs }
    const known = place && this.#places.get(place)
    if (!known) return
    known.seenUs = serverUs
    // What was granted before has ended without this side: it is in line again.
    if (known.grant && known.grant.serverUs <= serverUs) known.grant = undefined
  }

  /**
   * The store has told of a grant. Kept where it is certain to be for the place as it is now: a message that was delayed may tell of
   * an earlier one, which is over.
   */
  granted({ place, serverUs, leaseMs, token }: ToldGrant): void {
    const known = this.#places.get(place)
    if (known?.seenUs === undefined || serverUs <= known.seenUs || !this.#anchor) return
    known.grant = { since: this.#localTime(serverUs, this.#anchor), serverUs, leaseMs, fence: fenceIn(token) }
  }

  /** What that place was granted, if that can still be relied on. Once: whoever asks again is to ask the store. */
  takeGrant(place: Place, now: number): LineGrant | undefined {
    const known = this.#places.get(place)
    const grant = known?.grant
    if (!known || !grant) return undefined
    known.grant = undefined
    if (grant.since + grant.leaseMs * FRESH <= now) return undefined
    const { since, leaseMs, fence } = grant
    return { since: Math.min(since, now), leaseMs, fence }
  }

  /**
   * A time of the server on this machine's clock, never later than it was: the server read its clock after the command that it
   * answered had been sent.
   */
  #localTime(serverUs: number, anchor: { readonly localMs: number; readonly serverUs: number }): number {
    const passed = (serverUs - anchor.serverUs) / 1_000 - ROUNDED_MS
    return anchor.localMs + passed * (passed > 0 ? 1 - DRIFT : 1 + DRIFT)
  }
}
