import { Listeners } from '../../base/collections/listeners.js'
import { LockUpgradeError } from '../../base/errors/upgrade-error.js'
import type { Owner } from '../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockSeen,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreLine,
  Watch,
} from '../../port/lock-port.js'
import type { LockKeyspace } from '../../port/store.js'
import { matchesGlob } from '../rows/glob.js'
import { clientsIn, ownerOf } from './key.js'
import type { Entry, Line, Mode } from './line.js'
import type { Place, Standing } from './place.js'
import type { Places } from './places.js'
import { before, blockerOf, holdersIn } from './turns.js'

export interface SessionLockTerms {
  readonly keyspace: LockKeyspace
  readonly mode: Mode
  /** Whether waiters stand in line; otherwise a call tries only while nobody stands there. */
  readonly joins: boolean
  /**
   * Whether each tenure has a token: then no hold is handed over or kept, and each call has a place of its own. The token is the number that
   * the entry got when it was made. One that an entry got later could be greater than those of others who stand behind it already.
   */
  readonly fenced: boolean
}

/**
 * A lock on a server with sessions: whoever the line admits has it. A client counts its holds itself, and answers for nested ones after a
 * look at the line; other clients see one.
 */
export class SessionLockPort implements FencedPort {
  /** News are messages about entries, which this client watches from when they stand in line. */
  readonly watchesInOrder = true
  readonly bound = true
  readonly line: StoreLine | undefined
  readonly placePer: 'call' | undefined
  readonly #listeners = new Listeners<News | undefined>()

  constructor(
    private readonly places: Places,
    private readonly terms: SessionLockTerms,
  ) {
    const { mode, joins, fenced } = terms
    const line = { placeMs: places.settings.watchdogLeaseMs, hears: () => true }
    const hearAsks = (name: string, onAsk: () => void): Watch => places.hearAsks(this.#lock(name), onAsk)
    const keeps = mode === 'lock' && !fenced && places.link.hears !== undefined
    this.line = joins ? { ...line, ...(keeps && { hearAsks }) } : undefined
    this.placePer = fenced ? 'call' : undefined
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { places } = this
    const { name, owner, heldBefore } = request
    const standing = this.#standing(name, owner)
    for (;;) {
      const known = places.find(standing)
      if (heldBefore > 0) return await this.#nest(request, known)
      this.#refuseUpgrade(standing)
      const place = known ?? this.#open(standing, request)
      place.joined ||= this.terms.joins && request.waits === true
      // Its last answer still holds: a change would have been announced.
      const seen = place.admitted ? undefined : await places.stand(place)
      if (seen && !place.admitted) return await this.#busyIn(seen.line, place)
      const granted = await places.take(place, request.leaseMs)
      if (granted) return { ...granted, ...this.#fence(place), ...(place.undisturbed && { lingers: true }) }
    }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    const place = this.#find(name, owner)
    if (!place) return
    if (heldBefore > 0) place.holds = Math.min(place.holds, heldBefore)
    else await this.places.leave(place)
  }

  /** Where the lock lasts as long as the session, before and after, the server need not hear of it. */
  async handOver(request: HandOverRequest): Promise<AcquireReply> {
    const { places } = this
    const place = this.#find(request.name, request.from) ?? this.#find(request.name, request.owner)
    if (!place || place.holds === 0) return { outcome: 'lost' }
    const granted = await places.take(place, request.leaseMs)
    if (!granted) return { outcome: 'lost' }
    places.passTo(place, request.owner)
    return granted
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const place = this.#find(name, owner)
    const gone = repeated ? 'released' : 'not-owner'
    if (!place || place.holds === 0) return gone
    if (heldBefore === 1) return (await this.places.leave(place)) ? 'released' : gone
    if (!(await this.places.isThere(place))) return 'not-owner'
    place.holds = heldBefore - 1
    return 'still-held'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    return requests.map(({ name, owner, leaseMs }) => this.places.renew(this.#standing(name, owner), leaseMs))
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    // One function may watch twice: each watch counts for itself.
    const own = (news?: News): void => onNews(news)
    this.#listeners.add(name, own)
    return { confirmed: Promise.resolve(), inForce: true, close: () => this.#listeners.delete(name, own) }
  }

  async inspect(name: string, asks = false): Promise<LockSeen> {
    const line = await this.#read(name)
    const state = this.#stateOf(name, line)
    const keeper = this.#mine(line).find(({ keeps }) => keeps)
    if (!keeper || this.places.behind(keeper.key)) return state
    const told = !asks || (await this.#ask(this.#lock(name), keeper))
    return { ...state, ...(told && { lingers: true }) }
  }

  async countWatchers(name: string): Promise<number> {
    const line = await this.#read(name)
    return clientsIn(line.filter((entry) => blockerOf(line, entry)))
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.places.oust(this.#lock(name), this.#mine(await this.#read(name)))
  }

  async *list(pattern: string): AsyncIterable<LockSeen> {
    for await (const name of this.places.link.names(this.terms.keyspace)) {
      if (!matchesGlob(pattern, name)) continue
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    const line = await this.#read(name)
    const mine = this.#mine(line).find((entry) => this.#ownerOf(entry) === owner)
    return { held: mine !== undefined, lastFence: mine?.fence ?? line[0]?.fence }
  }

  #fence({ fence }: Place): { readonly fence?: bigint } {
    return this.terms.fenced && fence !== undefined ? { fence } : {}
  }

  /** One hold more. It makes no lease shorter (rule L2). */
  async #nest({ heldBefore, leaseMs }: AcquireRequest, place: Place | undefined): Promise<AcquireReply> {
    const { places } = this
    if (!place || place.holds === 0 || !(await places.isThere(place))) return { outcome: 'lost' }
    const endsAt = places.now + leaseMs
    if (endsAt > place.endsAt) {
      if (!places.needsLease(place, leaseMs)) places.endAt(place, endsAt)
      else if (!(await places.lease(place, leaseMs))) return { outcome: 'lost' }
    }
    place.holds = Math.max(place.holds, heldBefore + 1)
    return { outcome: 'granted', ...this.#fence(place) }
  }

  /** Who reads would wait for itself. */
  #refuseUpgrade({ lock, mode, owner }: Standing): void {
    const reading = mode === 'write' && this.places.find({ lock, mode: 'read', owner })
    if (reading && reading.holds > 0) throw new LockUpgradeError(lock.name, owner)
  }

  /** What the owner writes by while it asks to read. */
  #writeOf({ lock, mode, owner }: Standing): Place | undefined {
    const writing = mode === 'read' ? this.places.find({ lock, mode: 'write', owner }) : undefined
    return writing && writing.holds > 0 ? writing : undefined
  }

  /** Who has the lock, while that place has not, and how long those before it last at most. Whoever keeps the lock is told. */
  async #busyIn(line: Line, { lock, key }: Place): Promise<AcquireReply> {
    const holder = holdersIn(line).find((entry) => entry.key !== key)
    const mayKeep = holder?.keeps === true
    // Of another's entry that stands in line its client hears.
    const stands = line.some((entry) => entry.key === key)
    if (mayKeep && (!stands || this.places.behind(holder.key))) await this.#ask(lock, holder)
    return {
      outcome: 'busy',
      remainingMs: Math.max(0, ...before(line, key).map((entry) => entry.remainingMs)),
      holder: holder && this.#ownerOf(holder),
      ...(mayKeep && { lingers: true }),
    }
  }

  /** Has the client of that entry told that others ask for the lock. False: it cannot be told. */
  async #ask(lock: Standing['lock'], entry: Entry): Promise<boolean> {
    const { places } = this
    if (places.behind(entry.key)) {
      places.asked(lock)
      return true
    }
    try {
      await places.link.ask?.(lock, entry)
      return true
    } catch {
      return false
    }
  }

  #stateOf(name: string, line: Line): LockState {
    const mine = this.#mine(line)
    const owners = mine.map((entry) => {
      const holds = Math.max(this.places.behind(entry.key)?.holds ?? 1, 1)
      return { owner: this.#ownerOf(entry), holds }
    })
    return { name, owners, remainingMs: Math.max(0, ...mine.map((entry) => this.#remainingMs(entry))) }
  }

  /** Those of this mode that have the lock. */
  #mine(line: Line): Line {
    return holdersIn(line).filter(({ mode }) => mode === this.terms.mode)
  }

  /** The owner of an entry. Of its own places this client knows the owner to whom it passed them. */
  #ownerOf({ key }: Entry): Owner {
    return this.places.behind(key)?.owner ?? ownerOf(key)
  }

  #remainingMs({ key, remainingMs }: Entry): number {
    const place = this.places.behind(key)
    return place && place.holds > 0 ? place.endsAt - this.places.now : remainingMs
  }

  #read(name: string): Promise<Line> {
    return this.places.link.read(this.#lock(name))
  }

  #lock(name: string): Standing['lock'] {
    return { keyspace: this.terms.keyspace, name }
  }

  #standing(name: string, owner: Owner): Standing {
    return { lock: this.#lock(name), mode: this.terms.mode, owner }
  }

  #open(standing: Standing, { name, lingers }: AcquireRequest): Place {
    const place = this.places.open(standing, (news) => this.#listeners.tell(name, news))
    place.within = this.#writeOf(standing)?.order
    place.keeps = lingers === true
    return place
  }

  #find(name: string, owner: Owner): Place | undefined {
    return this.places.find(this.#standing(name, owner))
  }
}
