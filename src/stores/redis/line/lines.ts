import { StoreError } from '../../../base/errors/errors.js'
import { restInLineMs } from '../../../port/lease.js'
import type { AcquireReply, AcquireRequest, Watch } from '../../../port/lock-port.js'
import { modeOf, ownerOf, type Place } from '../../line/place.js'
import type { ReleaseChannels } from '../channels/release-channel.js'
import { toldIn } from '../channels/told.js'
import { processChannelsOf } from '../keys/companion-key.js'
import type { HolderSeen } from './acquire-reply.js'
import type { LineMode, LineNames, LinesSettings } from './line-terms.js'
import { LineWatch } from './line-watch.js'
import { type Listener, Standing } from './standing.js'

/** How long a waiter sleeps at most behind a lock without an end. */
export const LONGEST_LOOK_MS = 30_000
/** How long a waiter sleeps at most that has no place, and hears of no releases either. */
const WITHOUT_PLACE_MS = 500
/** The store's count of the holder's lease began later than this side's: a waiter looks so much after its end. */
const AFTER_LEASE_MS = 2
/** As `looksMs`: stands outside the line, and takes the lock wherever it is free. */
const OUTSIDE = -1

const NOTHING_ANNOUNCED: Watch = { confirmed: Promise.resolve(), inForce: true, close: () => undefined }

/**
 * How long a process whose locks linger goes on listening when none does: what works on one name again and again does so with pauses, and
 * a lock can linger only where the process listened before it was granted.
 */
const KEPT_FOR_ASKS_MS = 60_000

type Held = Pick<AcquireRequest, 'name' | 'owner' | 'heldBefore'>

/**
 * The lines in which this process stands, for the locks of one kind: it asks for places, and receives messages about them. A message
 * about a grant is the answer to the next request of that waiter.
 */
export class Lines {
  readonly #standing = new Map<string, Standing>()
  /** The name of the lock whose line was empty when it refused the latest request: who asked then will be the first in it. */
  #emptyLine: string | undefined
  /** Places whose owners were let in while the line could not be reached, and that stand there still. */
  readonly #besideLine = new Set<Place>()

  constructor(
    private readonly channels: ReleaseChannels,
    private readonly names: LineNames,
    private readonly settings: LinesSettings,
  ) {}

  /** Whether this process already receives messages about grants of that lock. */
  hears(name: string): boolean {
    if (!this.#outside) return !this.channels.none && this.channels.subscribed(this.#ownChannel(name))
    const [, channel] = this.names.releaseChannels(name)
    return channel === undefined || this.channels.subscribed(channel)
  }

  /** Takes over a grant in line, or asks. */
  acquire(as: LineMode, request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, heldBefore } = request
    const place: Place = `${as.mode}:${owner}`
    if (heldBefore === 0) {
      if (this.#besideLine.size > 0) this.#besideLine.delete(place)
      const givingBack = this.settings.leftPlaces.delete(place, this.names.keyOf(name))
      if (givingBack) return givingBack.then(() => this.#acquire(as, place, request))
    }
    return this.#acquire(as, place, request)
  }

  #acquire(as: LineMode, place: Place, request: AcquireRequest): Promise<AcquireReply> {
    const { name, leaseMs, heldBefore, waits: mayWait } = request
    const { clock, watchdogLeaseMs, firstLeaseMs } = this.settings
    const outside = this.#outside || this.#standing.get(name)?.outside === true
    const waits = mayWait && !outside
    const standing = waits ? this.#standingAt(name) : this.#standing.get(name)
    // With an explicit lease, or for one more hold, it asks all the same: the store finds the hold that it has granted.
    const granted = standing?.takeGrant(place, clock.now())
    if (granted && leaseMs === watchdogLeaseMs && heldBefore === 0) {
      this.#leave(name, place)
      return Promise.resolve(granted)
    }
    const without = outside && this.names.releaseChannels(name).length > 0 ? OUTSIDE : 0
    const looksMs = !waits ? without : standing?.stands(place) ? LONGEST_LOOK_MS : firstLeaseMs
    if (waits) standing?.join(place)
    const sentAt = waits ? clock.now() : 0
    // If the subscription is in force anyway, messages that come before the answer count too.
    const heard = waits && standing !== undefined && this.#hearsReleases(name)
    if (heard) this.#listen(name, standing)
    const terms = `${firstLeaseMs}:${standing?.word ?? '-'}`
    const asked = as.ask(request, looksMs, terms, (answer) => {
      if (answer.outcome !== 'busy') {
        if (answer.outcome === 'granted' && answer.placeStays && standing?.stands(place))
          this.#besideLine.add(place)
        this.#leave(name, place)
        return answer
      }
      const { remainingMs, holder, heldSince, serverUs, rests, first, places, lingers } = answer
      if (outside || this.#outside || standing?.outside) {
        // This request itself may be the refused one.
        standing?.stepOutside()
        return this.#busyOutside(name, answer)
      }
      this.#emptyLine = first ? name : undefined
      if (waits && standing) {
        if (places !== undefined) standing.heard(sentAt, serverUs, place)
        if (first) standing.first = place
        else if (standing.first === undefined) standing.ignoreReleases()
        if (first && !heard) this.#listen(name, standing)?.then((inForce) => inForce && standing.tell())
        if (places !== undefined && places < standing.size) standing.tell({ placesGone: true })
      }
      const endsInMs = Math.max(remainingMs, rests ? restInLineMs(firstLeaseMs) : 0)
      const againMs = Math.min(endsInMs, places === undefined ? WITHOUT_PLACE_MS : looksMs) + AFTER_LEASE_MS
      return { outcome: 'busy', remainingMs, holder, heldSince, againMs, ...(lingers && { lingers }) }
    })
    if (!standing) return asked
    return asked.catch((error: unknown) => {
      // A request that may have been carried out is repeated or abandoned; a refused one is over.
      if (!(error instanceof StoreError && error.transient)) this.#leave(name, place)
      throw error
    })
  }

  /** The waiter of that place has left. */
  leave(as: LineMode, { name, owner, heldBefore }: Held): void {
    const place: Place = `${as.mode}:${owner}`
    this.#leave(name, place)
    if (heldBefore === 0) this.#left(as, place, name)
  }

  /** A hold is about to be given back. */
  released(as: LineMode, { name, owner, heldBefore }: Held): void {
    if (this.#besideLine.size === 0 || heldBefore > 1) return
    const place: Place = `${as.mode}:${owner}`
    if (this.#besideLine.delete(place)) this.#left(as, place, name)
  }

  #left(as: LineMode, place: Place, name: string): void {
    this.settings.leftPlaces.add(place, this.names.keyOf(name), () => as.leavePlace(name, place))
  }

  /** Calls back on every message about that lock, and where one may have been missed. */
  hearAsks(name: string, onAsk: () => void, often = false): Watch {
    const keptMs = often ? undefined : KEPT_FOR_ASKS_MS
    return this.channels.hear(this.#ownChannel(name), onAsk, this.names.keyOf(name), keptMs)
  }

  /** Calls back on messages about the process's places of that mode; of all, where there is no other way to hold. */
  watch(as: Partial<LineMode> & Pick<LineMode, 'leavePlace'>, name: string, onNews: Listener): Watch {
    const { refusals } = this.settings
    const standing = this.#standingAt(name)
    const listener: Listener = (news) => onNews(news)
    standing.listeners.add(listener)
    const watch = new LineWatch(
      {
        inLine: () => this.#watchPlaces(as.mode, name, standing, onNews),
        outside: () => this.#watchReleases(name, standing, onNews),
        leavePlaces: () => {
          for (const place of standing.leaveAll(as.mode))
            void as.leavePlace(name, place).catch(() => undefined)
        },
        onRefused: (error) => refusals.add('channel', { command: 'SUBSCRIBE', lockName: name }, error),
        onMissed: () => onNews(),
        onClosed: () => {
          standing.listeners.delete(listener)
          standing.watches.delete(watch)
          if (standing.listeners.size === 0) this.#forget(name, standing)
        },
      },
      this.#outside,
    )
    standing.watches.add(watch)
    return watch
  }

  #watchPlaces(mode: string | undefined, name: string, standing: Standing, onNews: Listener): Watch {
    const key = this.names.keyOf(name)
    const isOf = (place: Place): boolean => mode === undefined || modeOf(place) === mode
    const hear = (text?: string): void => {
      if (text === undefined) {
        // Forbidden since. What the client has learned about refusals is forgotten when a connection breaks; this watch has ended for good.
        if (!this.channels.has(this.#ownChannel(name))) standing.stepOutside()
        onNews()
        return
      }
      const told = toldIn(text, standing.word)
      if (!told) return
      for (const grant of told.grants) {
        if (!isOf(grant.place) || !standing.has(grant.place)) continue
        if (told.proven) standing.granted(grant)
        onNews({ grantedTo: ownerOf(grant.place) })
      }
      const { look } = told
      // A message about a place that the process no longer has asks it to show that it is alive, by a request for any place.
      if (look && (isOf(look.place) || !standing.has(look.place))) onNews({ lookInMs: look.inMs })
    }
    const releases = this.#emptyLine === name ? this.#listen(name, standing) : undefined
    return this.channels.hear(this.#ownChannel(name), hear, key, undefined, releases)
  }

  /** As clients do that know of no line: the store then counts this one among them. */
  #watchReleases(name: string, standing: Standing, onNews: Listener): Watch {
    standing.ignoreReleases()
    const [, channel] = this.names.releaseChannels(name)
    return channel === undefined ? NOTHING_ANNOUNCED : this.channels.hear(channel, () => onNews())
  }

  /** A client that stands in no line was refused: when to ask again, if it hears nothing. */
  #busyOutside(name: string, { remainingMs, holder, heldSince }: HolderSeen): AcquireReply {
    const [, channel] = this.names.releaseChannels(name)
    // It may have been forbidden since.
    const allowed = channel !== undefined && this.channels.has(channel)
    const hears = allowed && this.#standing.get(name)?.hearsReleases
    const againMs = Math.min(remainingMs, hears ? LONGEST_LOOK_MS : WITHOUT_PLACE_MS) + AFTER_LEASE_MS
    return { outcome: 'busy', remainingMs, holder, heldSince, againMs }
  }

  /** Forgets the place, and the lock if nobody waits for it: else every name ever locked would be kept. */
  #leave(name: string, place: Place): void {
    const standing = this.#standing.get(name)
    if (!standing) return
    standing.leave(place)
    if (standing.empty && standing.listeners.size === 0) this.#forget(name, standing)
  }

  #forget(name: string, standing: Standing): void {
    standing.ignoreReleases()
    if (this.#standing.get(name) === standing) this.#standing.delete(name)
  }

  /** Whether the server has refused this client what it needs to stand in these lines. */
  get #outside(): boolean {
    return this.settings.refusals.has('channel') || this.names.keysRefused === true
  }

  /** For messages about grants and looks: one for all its locks, in a cluster for those of one slot. */
  #ownChannel(name: string): string {
    const { clientId, inCluster } = this.settings
    return processChannelsOf(this.names.keyOf(name), inCluster) + clientId
  }

  #hearsReleases(name: string): boolean {
    return this.names.releaseChannels(name).every((channel) => this.channels.subscribed(channel))
  }

  /**
   * While it is the first in line, releases by clients outside the line have it ask again. Resolves when the subscriptions are in force (it
   * may have missed an earlier release), or to `false` if they have failed: then the next answer that it is the first tries again.
   */
  #listen(name: string, standing: Standing): Promise<boolean> | undefined {
    const channels = this.names.releaseChannels(name)
    // A call that has left meanwhile wants no more messages, and nobody would end these.
    if (standing.releases.length > 0 || channels.length === 0 || standing.listeners.size === 0)
      return undefined
    const news = (): void => standing.tell()
    const releases = channels.map((channel) => this.channels.hear(channel, news))
    standing.releases = releases
    return Promise.all(releases.map(({ confirmed }) => confirmed)).then(
      () => true,
      () => {
        if (standing.releases === releases) standing.ignoreReleases()
        return false
      },
    )
  }

  #standingAt(name: string): Standing {
    const standing = this.#standing.get(name) ?? new Standing(this.settings.words.of(this.names.keyOf(name)))
    this.#standing.set(name, standing)
    return standing
  }
}
