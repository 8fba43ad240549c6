import type { Owner } from '../identity/owner.js'
import type { FencedPort, TenureState } from '../ports/fenced-port.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../ports/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import type { Line } from './link.js'
import type { Place } from './place.js'
import type { Places } from './places.js'

export interface SessionLockTerms {
  /** Whether those who wait stand in line; else an attempt is made only where nobody stands. */
  readonly joins: boolean
  /** Whether each tenure has a token: then none is handed over, and each call has a place of its own. */
  readonly fenced: boolean
}

/**
 * A lock on a server with sessions: the first in line has it. A client counts its holds itself, and answers for nested ones after a look
 * at the line; other clients see one.
 */
export class SessionLockPort implements FencedPort {
  /** News are messages about entries, which this client watches from when they stand in line. */
  readonly watchesInOrder = true
  readonly line: StoreLine | undefined
  readonly placePer: 'call' | undefined
  readonly #listeners = new Map<string, Set<(news?: News) => void>>()

  constructor(
    private readonly places: Places,
    private readonly terms: SessionLockTerms,
  ) {
    const placeMs = places.settings.watchdogLeaseMs
    this.line = terms.joins ? { placeMs, hears: () => true } : undefined
    this.placePer = terms.fenced ? 'call' : undefined
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, heldBefore } = request
    for (;;) {
      const known = places.find(name, owner)
      if (heldBefore > 0) return await this.#nest(request, known)
      const place = known ?? places.open(name, owner, (news) => this.#tell(name, news))
      // What it was told is still so: else it would have been told otherwise.
      const joins = this.terms.joins && request.waits === true
      const line = place.first ? [] : await this.#stand(place, joins)
      if (!place.first) return busyBehind(line)
      const reply = await this.#grant(place, request)
      if (reply) return reply
    }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    const place = this.places.find(name, owner)
    if (!place) return
    if (heldBefore > 0) place.holds = Math.min(place.holds, heldBefore)
    else await this.places.leave(place)
  }

  async handOver(request: HandOverRequest): Promise<AcquireReply> {
    const place =
      this.places.find(request.name, request.from) ?? this.places.find(request.name, request.owner)
    if (!place || place.holds === 0) return { outcome: 'lost' }
    const sentAt = this.places.now
    const leaseMs = this.#ownLease(request.leaseMs)
    if (!(await this.places.assign(place, request.owner, leaseMs))) return { outcome: 'lost' }
    place.holds = 1
    if (leaseMs !== undefined) return { outcome: 'granted' }
    this.places.endAt(place, sentAt + request.leaseMs)
    return this.#granted(place)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.places.find(name, owner)
    const gone = repeated ? 'released' : 'not-owner'
    if (!place || place.holds === 0) return gone
    if (heldBefore === 1) return (await this.places.leave(place)) ? 'released' : gone
    if (!(await this.places.isFirst(place))) return 'not-owner'
    place.holds = heldBefore - 1
    return 'still-held'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const { places } = this
      const place = places.find(name, owner)
      if (!place || place.holds === 0) return false
      const sentAt = places.now
      if (place.leased) return await places.assign(place, owner, Math.max(leaseMs, place.endsAt - sentAt))
      if (!(await places.session.keepAlive())) return false
      if (places.find(name, owner) !== place) return false
      places.endAt(place, Math.max(place.endsAt, sentAt + leaseMs))
      return true
    })
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(onNews))
    return {
      confirmed: Promise.resolve(),
      inForce: true,
      close: () => {
        listeners.delete(onNews)
        if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name)
      },
    }
  }

  async inspect(name: string): Promise<LockState> {
    return this.#stateOf(name, await this.places.link.read(name))
  }

  async countWatchers(name: string): Promise<number> {
    const [, ...waiting] = await this.places.link.read(name)
    return new Set(waiting.map(({ session }) => session)).size
  }

  async forceUnlock(name: string): Promise<boolean> {
    const { link } = this.places
    const [first] = await link.read(name)
    return first !== undefined && (await link.remove(name, first.key))
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for await (const name of this.places.link.names()) {
      if (!matchesGlob(pattern, name)) continue
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    const [first] = await this.places.link.read(name)
    return { held: first?.owner === owner, lastFence: first?.sequence }
  }

  /** Leaves the place in the table when it is not known whether it stands. */
  async #stand(place: Place, joins: boolean): Promise<Line> {
    return await this.places.stand(place, !joins)
  }

  /** The place is first, and is taken. Undefined: it is gone. */
  async #grant(place: Place, { owner, leaseMs }: AcquireRequest): Promise<AcquireReply | undefined> {
    const { places } = this
    const own = this.#ownLease(leaseMs)
    if (own !== undefined && !(await places.assign(place, owner, own))) return undefined
    if (own === undefined) {
      await places.session.fresh()
      if (places.find(place.name, owner) !== place) return undefined
      places.endAt(place, places.session.aliveSince + leaseMs)
    }
    place.holds = 1
    return own === undefined ? this.#granted(place) : { outcome: 'granted', ...this.#fence(place) }
  }

  /** For as long as the session is known to live, and not counted from now. */
  #granted(place: Place): AcquireReply {
    const { settings, session } = this.places
    const leaseMs = settings.watchdogLeaseMs - settings.quarantineMs
    return { outcome: 'granted', granted: { since: session.aliveSince, leaseMs }, ...this.#fence(place) }
  }

  #fence({ sequence }: Place): { readonly fence?: bigint } {
    return this.terms.fenced ? { fence: sequence } : {}
  }

  /** One hold more. It makes no lease shorter (rule L2). */
  async #nest(
    { owner, heldBefore, leaseMs }: AcquireRequest,
    place: Place | undefined,
  ): Promise<AcquireReply> {
    const { places } = this
    if (!place || place.holds === 0 || !(await places.isFirst(place))) return { outcome: 'lost' }
    const endsAt = places.now + leaseMs
    if (endsAt > place.endsAt) {
      if (place.leased && !(await places.assign(place, owner, leaseMs))) return { outcome: 'lost' }
      places.endAt(place, endsAt)
    }
    place.holds = Math.max(place.holds, heldBefore + 1)
    return { outcome: 'granted', ...this.#fence(place) }
  }

  /** A lease that the watchdog asks for lasts as long as the session; any other is the entry's own. */
  #ownLease(leaseMs: number): number | undefined {
    return leaseMs === this.places.settings.watchdogLeaseMs ? undefined : leaseMs
  }

  #stateOf(name: string, [first]: Line): LockState {
    if (!first) return { name, owners: [], remainingMs: 0 }
    const { owner } = first
    const place = this.places.find(name, owner)
    const remainingMs = place && place.holds > 0 ? place.endsAt - this.places.now : first.remainingMs
    const holds = Math.max(place?.holds ?? 1, 1)
    return { name, owners: [{ owner, holds }], remainingMs: Math.max(remainingMs, 0) }
  }

  #tell(name: string, news: News): void {
    for (const onNews of [...(this.#listeners.get(name) ?? [])]) onNews(news)
  }
}

function busyBehind([first]: Line): AcquireReply {
  return { outcome: 'busy', remainingMs: first?.remainingMs ?? 0, holder: first?.owner }
}
