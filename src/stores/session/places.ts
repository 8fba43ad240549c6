import { Listeners } from '../../base/collections/listeners.js'
import { type LossReason, StoreError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import { BackOff } from '../../base/time/back-off.js'
import { closedError } from '../../port/failure.js'
import { withoutQuarantine } from '../../port/lease.js'
import type { GrantedReply, News, Renewed, Watch } from '../../port/lock-port.js'
import type { StoreSettings } from '../../port/store.js'
import { ClientSession } from './client-session.js'
import { keyOf } from './key.js'
import type { Entry, Line } from './line.js'
import type { LinkListener, SessionLink } from './link.js'
import { type LockName, textOf } from './lock-name.js'
import { goneInMs, readBeside, type Seen } from './permit-number.js'
import { idOf, Place, type Standing } from './place.js'
import { blockerOf, inTheWayOf, isLast } from './turns.js'

/** The pauses between attempts at a removal. */
const AGAIN = new BackOff({ firstPauseMs: 50, longestPauseMs: 5_000, factor: 2 })

const NOWHERE: Seen = { line: [] }

/**
 * The places that one client has in lines, with the session for which they last. This ends a lease that is shorter than the session, at its
 * time; if the process has died, the session ends, and with it the place.
 */
export class Places {
  readonly session: ClientSession
  readonly link: SessionLink
  readonly #places = new Map<string, Place>()
  readonly #byKey = new Map<string, Place>()
  /** Who is told that somebody asks for a lock that this client may keep. */
  readonly #ears = new Listeners<void>()
  #made = 0
  #closed = false

  constructor(
    linkTo: (listener: LinkListener) => SessionLink,
    readonly settings: StoreSettings,
  ) {
    this.link = linkTo({
      gone: (_, key) => {
        const place = this.#byKey.get(key)
        if (place && !place.leaving) this.#gone(place, 'not-in-store')
      },
      asked: (lock) => this.asked(lock),
      ended: (session, cause) => this.session.ended(session, cause),
    })
    this.session = new ClientSession(this.link, settings, (id, cause) => this.#sessionEnded(id, cause))
  }

  get now(): number {
    return this.settings.schedule.clock.now()
  }

  find(standing: Standing): Place | undefined {
    return this.#places.get(idOf(standing))
  }

  /** The place that made that entry. */
  behind(key: string): Place | undefined {
    return this.#byKey.get(key)
  }

  /** A new one, which stands nowhere yet. */
  open(standing: Standing, tell: (news: News) => void): Place {
    this.#made += 1
    const place = new Place(standing, keyOf(standing.owner, this.#made), tell)
    this.#places.set(idOf(place), place)
    this.#byKey.set(place.key, place)
    this.session.use(true)
    return place
  }

  /** Has it stand in line, if it does not already, and looks where. If it stands nowhere then, it is forgotten. */
  async stand(place: Place): Promise<Seen> {
    const { link, session } = this
    const { lock, key, mode, within, permits, keeps } = place
    for (;;) {
      if (this.#closed) throw closedError({ command: 'stand', lockName: lock.name })
      const id = await this.#freshSession(lock)
      // Its call has left, or its session has ended: a new request has to put it in line.
      if (!this.#stands(place)) return NOWHERE
      const repeated = place.session !== undefined
      place.session = id
      const ifFree = !place.joined && permits === undefined
      const hears = keeps && link.hears?.(lock) === true
      const line = await link.stand({ lock, session: id, key, mode, within, permits, keeps, ifFree })
      if (!line) {
        // It goes on in the next session.
        if (place.session === id) place.session = undefined
        place.seen = false
        session.ended(id)
        if (!this.#stands(place)) return NOWHERE
        continue
      }
      const [seen, isLatest] = permits === undefined ? [{ line }, true] : await this.#read(place)
      if (!this.#stands(place)) return seen
      place.leaving = false
      place.undisturbed = hears && link.hears?.(lock) === true && seen.line.length === 1
      if (isLatest) this.#settle(place, seen)
      if (place.looksAgain) void this.#look(place)
      place.looksAgain = false
      // Nobody waits by it. An earlier request for it, whose answer was lost, may yet put it in line.
      if (!place.admitted && !place.joined && (repeated || this.#stands(place))) await this.leave(place)
      return seen
    }
  }

  /**
   * Takes over the lock of an admitted place, for one hold. A lease that the watchdog asks for lasts as long as the session surely lives, and
   * does not count from now; any other belongs to the entry, and none outlasts its semaphore. Undefined: the entry is gone, or the semaphore.
   */
  async take(place: Place, leaseMs: number): Promise<GrantedReply | undefined> {
    const { session, settings, now } = this
    const lastsMs = Math.min(leaseMs, place.goneAt - now)
    if (lastsMs <= 0) place.admitted = false
    const own = lastsMs === settings.watchdogLeaseMs ? undefined : lastsMs
    if (lastsMs <= 0 || !(await this.lease(place, own))) return undefined
    place.holds = 1
    if (own === leaseMs) return { outcome: 'granted' }
    const since = own === undefined ? session.aliveSince : now
    if (own === undefined) this.endAt(place, since + lastsMs)
    return { outcome: 'granted', granted: { since, leaseMs: lastsMs - settings.quarantineMs } }
  }

  /** Sets how long its lease lasts from now on; undefined: as long as the session. False: it is gone. */
  async lease(place: Place, leaseMs: number | undefined): Promise<boolean> {
    const { lock, key } = place
    const session = await this.#freshSession(lock)
    const sentAt = this.now
    const changes = leaseMs !== undefined || place.leased
    if (changes && this.link.lease) {
      if (!(await this.link.lease({ lock, key, session, leaseMs }))) {
        this.forget(place)
        return false
      }
      place.leased = leaseMs !== undefined
    }
    if (!this.#stands(place)) return false
    if (leaseMs !== undefined) this.endAt(place, sentAt + leaseMs)
    return true
  }

  /** Makes its lease last at least so long from now: with a keep-alive of the session, or of its own. False: it is gone. */
  async renew(standing: Standing, leaseMs: number): Promise<Renewed> {
    const place = this.find(standing)
    if (!place || place.holds === 0) return false
    const sentAt = this.now
    const lastsMs = Math.min(Math.max(leaseMs, place.endsAt - sentAt), place.goneAt - sentAt)
    if (lastsMs <= 0) return false
    const renewed = lastsMs >= leaseMs || withoutQuarantine(lastsMs, this.settings.quarantineMs)
    if (this.needsLease(place, leaseMs)) return (await this.lease(place, lastsMs)) && renewed
    if (!(await this.session.keepAlive()) || !this.#stands(place)) return false
    this.endAt(place, sentAt + lastsMs)
    return renewed
  }

  /** Whether its entry needs a lease of its own, where it can have one, to last for so long: the session need not live for longer. */
  needsLease(place: Place, leaseMs: number): boolean {
    return place.leased || (this.link.lease !== undefined && leaseMs > this.settings.watchdogLeaseMs)
  }

  /** It is that owner's from now on. Nobody else hears of it. */
  passTo(place: Place, owner: Owner): void {
    if (this.find(place) === place) this.#places.delete(idOf(place))
    place.owner = owner
    this.#places.set(idOf(place), place)
  }

  /** Whether it stands in line still, by the server's word. One that had the lock then has it. */
  async isThere(place: Place): Promise<boolean> {
    const line = await this.link.read(place.lock)
    if (line.some(({ key }) => key === place.key)) return true
    this.forget(place)
    return false
  }

  /** How many permits there are may have changed: who waits for some looks. */
  permitsChanged({ keyspace, name }: LockName): void {
    for (const place of [...this.#byKey.values()]) {
      const { lock, joined, admitted, leaving } = place
      if (!joined || admitted || leaving || lock.keyspace !== keyspace || lock.name !== name) continue
      // A link knows as its own only entries that the store has confirmed.
      if (place.seen) void this.#look(place)
      else place.looksAgain = true
    }
  }

  /** Calls back when somebody asks for that lock, which this client may keep, and when that may have happened unheard. */
  hearAsks(lock: LockName, onAsk: () => void): Watch {
    const own = (): void => onAsk()
    this.#ears.add(textOf(lock), own)
    // What it hears of an entry, and from when on, the entry's own request finds out.
    return { confirmed: Promise.resolve(), inForce: true, close: () => this.#ears.delete(textOf(lock), own) }
  }

  asked(lock: LockName): void {
    this.#ears.tell(textOf(lock))
  }

  /** Its lease ends then. */
  endAt(place: Place, endsAt: number): void {
    const { schedule } = this.settings
    place.endsAt = endsAt
    if (place.alarm) schedule.move(place.alarm, endsAt)
    else place.alarm = schedule.at(endsAt, () => void this.drop(place))
  }

  /** Takes it out of its line. False: it was gone. */
  async leave(place: Place): Promise<boolean> {
    place.leaving = true
    // Until the server answers, nobody knows whether it stands.
    place.admitted = false
    place.stopWaiting()
    const existed = await this.link.remove(place.lock, place.key)
    this.forget(place)
    return existed
  }

  /** Takes these entries out of their line, whoever has made them. False: there was none. */
  async oust(lock: LockName, entries: Line): Promise<boolean> {
    const removed = await Promise.all(
      entries.map(async ({ key }) => {
        const existed = await this.link.remove(lock, key)
        const own = this.#byKey.get(key)
        if (own) this.#gone(own, 'not-in-store')
        return existed
      }),
    )
    return removed.includes(true)
  }

  forget(place: Place): void {
    place.stopWaiting()
    this.settings.schedule.cancel(place.alarm)
    place.alarm = undefined
    if (!this.#byKey.delete(place.key)) return
    if (this.find(place) === place) this.#places.delete(idOf(place))
    if (this.#byKey.size === 0) this.session.use(false)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const place of this.#byKey.values()) {
      place.stopWaiting()
      this.settings.schedule.cancel(place.alarm)
    }
    await this.session.close()
    this.link.close()
  }

  /** Removes the place as soon as the server answers. */
  async drop(place: Place, attempts = 1): Promise<void> {
    const { schedule, onError } = this.settings
    try {
      await this.leave(place)
    } catch (error) {
      if (!this.#stands(place)) return
      if (attempts === 1) onError(error)
      const pauseMs = AGAIN.pauseMs(attempts, Math.random())
      place.alarm = schedule.at(this.now + pauseMs, () => this.drop(place, attempts + 1))
    }
  }

  /** The id of a session; an error names the lock that the call asked for. */
  #freshSession({ name }: LockName): Promise<string> {
    return this.session.fresh().catch((error: unknown) => {
      throw error instanceof StoreError ? error.at(name) : error
    })
  }

  #stands(place: Place): boolean {
    return !this.#closed && this.#byKey.get(place.key) === place
  }

  /** Learns from the line whether it has the lock, and what to wait for if not. Forgets it if it stands nowhere. */
  #settle(place: Place, { line, number }: Seen): void {
    const own = line.find(({ key }) => key === place.key)
    if (!own) {
      this.forget(place)
      return
    }
    // An admitted place stays so: this answer may be older than the news.
    if (place.admitted) return
    place.seen = true
    place.order = own.order
    place.fence = own.fence ?? place.fence
    const blockers = number ? inTheWayOf(line, own, number.permits ?? 0) : blockerOf(line, own)
    place.admitted = !blockers
    place.goneAt = number ? this.now + goneInMs(number, this.link) : Infinity
    this.#waitFor(place, blockers && place.joined ? [blockers].flat() : [], line, own)
  }

  #waitFor(place: Place, blockers: readonly Entry[], line: Line, own: Entry): void {
    const orders = new Set(blockers.map(({ order }) => order))
    place.stopWaiting([...place.blockers.keys()].filter((order) => !orders.has(order)))
    for (const blocker of blockers) {
      if (place.blockers.has(blocker.order)) continue
      const last = place.permits === undefined && isLast(line, blocker, own)
      const onGone = (sure: boolean): void => void this.#look(place, blocker, sure)
      place.blockers.set(blocker.order, { last, watch: this.link.watch(place.lock, blocker, onGone, last) })
    }
  }

  /** The line of a place, and whether this answer counts: a later question may have its answer already. */
  async #read(place: Place, after?: Entry): Promise<readonly [seen: Seen, isLatest: boolean]> {
    const { lock, permits } = place
    const nth = ++place.asked
    const seen =
      permits === undefined ? { line: await this.link.read(lock, after) } : await readBeside(this.link, lock)
    const isLatest = nth > place.answered
    if (isLatest) place.answered = nth
    return [seen, isLatest]
  }

  /** Looks again, since what kept the place out is gone. Calls back only if it is its turn now. */
  async #look(place: Place, blocker?: Entry, sure = false): Promise<void> {
    if (!this.#stands(place) || place.admitted) return
    const alone = sure && blocker !== undefined && place.blockers.get(blocker.order)?.last === true
    try {
      if (blocker) place.stopWaiting([blocker.order])
      if (alone) place.admitted = true
      else {
        const [seen, isLatest] = await this.#read(place, blocker)
        if (!isLatest || !this.#stands(place) || place.admitted) return
        if (seen.line.some(({ key }) => key === place.key)) this.#settle(place, seen)
        else this.#gone(place, 'not-in-store')
      }
      if (place.admitted) place.tell({ grantedTo: place.owner })
    } catch {
      // The call that waits by it asks again, and looks by that: nobody else would.
      place.tell({ grantedTo: place.owner })
    }
  }

  #sessionEnded(id: string, cause: unknown): void {
    // All places learn of it before anybody acts on it. Entries that another session put in line stay.
    for (const place of [...this.#byKey.values()])
      if (place.session === id && !place.leased) this.#gone(place, 'session-ended', cause)
  }

  #gone(place: Place, reason: LossReason, cause?: unknown): void {
    if (!this.#stands(place)) return
    const { lock, owner, holds } = place
    this.forget(place)
    if (holds > 0) this.settings.onLost?.({ ...lock, owner, reason, cause })
    else place.tell({ placesGone: true })
  }
}
