import type { LossReason } from '../errors/errors.js'
import type { Owner } from '../identity/owner.js'
import type { StoreSettings } from '../ports/store.js'
import { ClientSession } from './client-session.js'
import type { Line, SessionLink } from './link.js'
import { Place } from './place.js'

/**
 * The places that one client has in lines, with the session that they last for. A lease that is shorter than the session is ended from
 * here, at its time; if this process has died the session ends, and with it the place.
 */
export class Places {
  readonly session: ClientSession
  readonly #places = new Map<string, Place>()
  #made = 0
  #closed = false

  constructor(
    readonly link: SessionLink,
    readonly settings: StoreSettings,
  ) {
    this.session = new ClientSession(link, settings, (cause) => this.#sessionEnded(cause))
  }

  get now(): number {
    return this.settings.schedule.clock.now()
  }

  find(name: string, owner: Owner): Place | undefined {
    return this.#places.get(idOf(name, owner))
  }

  /** A new one, which stands nowhere yet. */
  open(name: string, owner: Owner, tell: Place['tell']): Place {
    this.#made += 1
    const place = new Place(name, owner, `${this.settings.clientId}-${this.#made}`, tell)
    this.#places.set(idOf(name, owner), place)
    this.session.use(true)
    return place
  }

  /** Has it stand in line, if it does not already, and looks where. Undefined: it stands nowhere, and is forgotten. */
  async stand(place: Place, ifFree: boolean): Promise<Line> {
    const { link, session } = this
    const { name, key, owner } = place
    for (;;) {
      const id = await session.fresh()
      const line = await link.stand({ session: id, name, key, owner, ifFree })
      if (!line) {
        session.ended(id)
        // Its end has taken this place from the table, too.
        this.#places.set(idOf(name, owner), place)
        session.use(true)
        continue
      }
      if (this.#closed || this.find(name, owner) !== place) return line
      if (!line.some((entry) => entry.key === key)) this.forget(place)
      else this.#settle(place, line)
      return line
    }
  }

  /** Notes who has it now and for how long. False: it is gone. */
  async assign(place: Place, owner: Owner, leaseMs: number | undefined): Promise<boolean> {
    const { name, key } = place
    const session = await this.session.fresh()
    const sentAt = this.now
    if (!(await this.link.assign({ name, key, session, owner, leaseMs }))) {
      this.forget(place)
      return false
    }
    place.leased = leaseMs !== undefined
    if (owner !== place.owner && this.find(name, place.owner) === place) {
      this.#places.delete(idOf(name, place.owner))
      place.owner = owner
      this.#places.set(idOf(name, owner), place)
    }
    if (leaseMs !== undefined) this.endAt(place, sentAt + leaseMs)
    return true
  }

  /** Whether it is first, by the server's word. */
  async isFirst(place: Place): Promise<boolean> {
    const [first] = await this.link.read(place.name)
    if (first?.key === place.key) return true
    this.forget(place)
    return false
  }

  /** Its lease ends then. */
  endAt(place: Place, endsAt: number): void {
    const { schedule } = this.settings
    place.endsAt = endsAt
    if (place.alarm) schedule.move(place.alarm, endsAt)
    else place.alarm = schedule.at(endsAt, () => void this.leave(place).catch(this.settings.onError))
  }

  /** Takes it out of its line. False: it was gone. */
  async leave(place: Place): Promise<boolean> {
    // That it goes is no news from now on.
    place.stopWatching()
    const existed = await this.link.remove(place.name, place.key)
    this.forget(place)
    return existed
  }

  forget(place: Place): void {
    place.stopWatching()
    this.settings.schedule.cancel(place.alarm)
    place.alarm = undefined
    if (this.find(place.name, place.owner) !== place) return
    this.#places.delete(idOf(place.name, place.owner))
    if (this.#places.size === 0) this.session.use(false)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const place of this.#places.values()) {
      place.stopWatching()
      this.settings.schedule.cancel(place.alarm)
    }
    await this.session.close()
    this.link.close()
  }

  /** It stands there: whether it is first, and what to wait for if not. */
  #settle(place: Place, line: Line): void {
    const at = line.findIndex(({ key }) => key === place.key)
    place.sequence = line[at]?.sequence ?? place.sequence
    place.own ??= this.link.watch(place.name, place.key, () => this.#gone(place, 'not-in-store'))
    place.first = at === 0
    const before = line[at - 1]
    if (before?.key === place.before?.key) return
    place.stopWaiting()
    if (!before) return
    const watch = this.link.watch(place.name, before.key, () => void this.#look(place))
    place.before = { key: before.key, watch }
  }

  /** The one before it is gone: then it may be the first, or stand behind another. Tells nobody unless it is its turn. */
  async #look(place: Place): Promise<void> {
    try {
      place.stopWaiting()
      const line = await this.link.read(place.name)
      if (this.#closed || this.find(place.name, place.owner) !== place) return
      if (!line.some(({ key }) => key === place.key)) this.#gone(place, 'not-in-store')
      else this.#settle(place, line)
      if (place.first) place.tell({ grantedTo: place.owner })
    } catch {
      // Whoever waits asks again, and looks by that.
      place.tell({})
    }
  }

  #sessionEnded(cause: unknown): void {
    // All of them are told before anybody acts on it.
    for (const place of [...this.#places.values()])
      if (!place.leased) this.#gone(place, 'session-ended', cause)
  }

  #gone(place: Place, reason: LossReason, cause?: unknown): void {
    if (this.#closed || this.find(place.name, place.owner) !== place) return
    const { name, owner, holds } = place
    this.forget(place)
    if (holds > 0) this.settings.onLost?.({ keyspace: 'lock', name, owner, reason, cause })
    else place.tell({ placesGone: true })
  }
}

function idOf(name: string, owner: Owner): string {
  return `${owner} ${name}`
}
