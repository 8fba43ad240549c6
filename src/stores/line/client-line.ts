import type { GrantedReply } from '../../port/lock-port.js'
import type { Place } from './place.js'

/** How far this machine's clock and the server's may run apart: a span of the server's time counts as a little less here. */
const DRIFT = 0.01
/** The server's times are whole microseconds, rounded down: two of them can be that much closer than they look. */
const ROUNDED_MS = 0.001
/** Below this part of its lease, a command confirms the grant and sets the whole lease. */
const FRESH = 0.5

/** A grant to one place, as the message to its process has it, with the server's time. */
export interface ToldGrant {
  readonly place: Place
  readonly serverUs: number
  readonly leaseMs: number
  readonly fence: bigint | undefined
}

interface Known {
  /** The server's time in the latest answer that saw the place in line. Absent before the first one. */
  seenUs?: number
  /** Since when the store has granted it the lock, on this machine's lease clock, never later than the grant. */
  grant?: (Omit<ToldGrant, 'place'> & { readonly since: number }) | undefined
}

/** What one client knows about its places in the line of one lock. */
export class ClientLine {
  readonly #places = new Map<Place, Known>()
  #anchor: { readonly localMs: number; readonly serverUs: number } | undefined

  /** Whether this client has given up every place that it has asked for. */
  get empty(): boolean {
    return this.#places.size === 0
  }

  /** How many places it has, according to the store's answers and messages. */
  get size(): number {
    let size = 0
    for (const { seenUs, grant } of this.#places.values()) if (seenUs !== undefined && !grant) size += 1
    return size
  }

  get places(): readonly Place[] {
    return [...this.#places.keys()]
  }

  /** Whether the client has asked for that place, and has neither entered nor left since. */
  has(place: Place): boolean {
    return this.#places.has(place)
  }

  /** Whether an answer of the store has shown that place in line. */
  stands(place: Place): boolean {
    return this.#places.get(place)?.seenUs !== undefined
  }

  /** Call it before an acquire that may join the line. */
  join(place: Place): void {
    if (!this.#places.has(place)) this.#places.set(place, {})
  }

  /** The place has the lock, or has left. */
  leave(place: Place): void {
    this.#places.delete(place)
  }

  /** Notes the server's time in the answer to a command sent at `localMs`, and that the place, if named, is in line. */
  heard(localMs: number, serverUs: number, place?: Place): void {
    // The latest one is best: two clocks have drifted apart least since then.
    if (!this.#anchor || localMs >= this.#anchor.localMs) this.#anchor = { localMs, serverUs }
    const known = place && this.#places.get(place)
    if (!known) return
    known.seenUs = serverUs
    // An earlier grant has ended unnoticed here: the place is in line again.
    if (known.grant && known.grant.serverUs <= serverUs) known.grant = undefined
  }

  /**
   * A message about a grant. Counts only if it is certainly about the place as it is now: a delayed message may be about an earlier
   * grant, which is over.
   */
  granted({ place, serverUs, leaseMs, fence }: ToldGrant): void {
    const known = this.#places.get(place)
    if (known?.seenUs === undefined || serverUs <= known.seenUs || !this.#anchor) return
    known.grant = { since: this.#localTime(serverUs, this.#anchor), serverUs, leaseMs, fence }
  }

  /** The grant to that place, if it is still safe to use. Returned once: a second question goes to the store. */
  takeGrant(place: Place, now: number): GrantedReply | undefined {
    const known = this.#places.get(place)
    const grant = known?.grant
    if (!known || !grant) return undefined
    known.grant = undefined
    if (grant.since + grant.leaseMs * FRESH <= now) return undefined
    const { since, leaseMs, fence } = grant
    const granted = { since: Math.min(since, now), leaseMs }
    return { outcome: 'granted', granted, ...(fence !== undefined && { fence }) }
  }

  /** A time of the server on this machine's clock, never too late: the server read its clock after this machine had sent the command. */
  #localTime(serverUs: number, anchor: { readonly localMs: number; readonly serverUs: number }): number {
    const passed = (serverUs - anchor.serverUs) / 1_000 - ROUNDED_MS
    return anchor.localMs + passed * (passed > 0 ? 1 - DRIFT : 1 + DRIFT)
  }
}
