import { StoreError } from '../../errors/errors.js'
import type { AcquireReply, AcquireRequest, News, Watch } from '../../ports/store.js'
import type { Clock } from '../../time/clock.js'
import type { ReleaseChannels } from '../channels/release-channel.js'
import type { AcquireAnswer } from './acquire-reply.js'
import { ClientLine } from './client-line.js'
import { modeOf, ownerOf, type Place, toldIn } from './told.js'

/** How long a waiter sleeps at most behind a lock without an end. */
export const LONGEST_LOOK_MS = 30_000
/** How long a waiter sleeps at most that could get no place, because the slot of the line is on its way to another node. */
const WITHOUT_PLACE_MS = 500
/** The store counts the holder's lease from later than this side: a waiter looks so much after its end. */
const AFTER_LEASE_MS = 2

export interface LinesSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place is looked after. */
  readonly firstLeaseMs: number
  /** The lease that the watchdog asks for: a grant in line needs no command then, the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
}

/** What a kind of lock calls what belongs to the line of one of them. */
export interface LineNames {
  /** The first of its scripts' keys. */
  keyOf(name: string): string
  /** Where that process is told of its places. */
  channelOf(name: string, clientId: string): string
  /** What the first in line listens to: releases of those who grant to nobody. None where all stand in line. */
  releaseChannels(name: string): readonly string[]
}

type Listener = (news?: News) => void

/** What this process knows of one lock: its places in line, and that it is the first there, if so. */
class Standing extends ClientLine {
  readonly listeners = new Set<Listener>()
  /** The place that is the first in line. */
  first: Place | undefined
  /** Listen to the release channels, for the first in line. */
  releases: readonly Watch[] = []

  override leave(place: Place): void {
    super.leave(place)
    if (this.first === place) this.first = undefined
  }

  tell(news?: News): void {
    for (const listener of this.listeners) listener(news)
  }

  ignoreReleases(): void {
    for (const watch of this.releases) watch.close()
    this.releases = []
  }
}

/**
 * The lines in which this process stands, of the locks of one kind: it asks for places, and hears what becomes of them. What it is
 * told counts as the answer to the question that its waiter asks next.
 */
export class Lines {
  readonly #standing = new Map<string, Standing>()
  /** The lock by which a question was refused last, with nobody in its line: whoever asked will be the first. */
  #emptyLine: string | undefined

  constructor(
    private readonly channels: ReleaseChannels,
    private readonly names: LineNames,
    private readonly settings: LinesSettings,
  ) {}

  /** Whether this process hears of grants of that lock already. */
  hears(name: string): boolean {
    return this.channels.subscribed(this.#ownChannel(name))
  }

  /**
   * Takes over what was granted in line, or asks.
   *
   * @param ask `looksMs`: 0: its caller does not wait. Else it gets a place, and looks again by itself after so long at the latest.
   *   `firstLeaseMs`: how long a grant in line is to last until this process takes over.
   */
  async acquire(
    mode: string,
    request: AcquireRequest,
    ask: (looksMs: number, firstLeaseMs: number) => Promise<AcquireAnswer>,
  ): Promise<AcquireReply> {
    const { name, owner, leaseMs, waits } = request
    const { clock, watchdogLeaseMs, firstLeaseMs } = this.settings
    const place: Place = `${mode}:${owner}`
    const standing = waits ? this.#standingAt(name) : this.#standing.get(name)
    // One of a lease of its own, or one more hold, is asked for: the store finds the hold that was granted.
    const granted = standing?.takeGrant(place, clock.now())
    if (granted && leaseMs === watchdogLeaseMs && request.heldBefore === 0) {
      standing?.leave(place)
      const { fence, ...since } = granted
      return { outcome: 'granted', granted: since, ...(fence !== undefined && { fence }) }
    }
    const looksMs = !waits ? 0 : standing?.stands(place) ? LONGEST_LOOK_MS : firstLeaseMs
    if (waits) standing?.join(place)
    try {
      const sentAt = clock.now()
      // Where the subscription stands anyway, news that comes before the answer is heard, too.
      const heard = waits && standing !== undefined && this.#hearsReleases(name)
      if (heard) this.#listen(name, standing)
      const reply = await ask(looksMs, firstLeaseMs)
      if (reply.outcome !== 'busy') {
        standing?.leave(place)
        return reply
      }
      const { remainingMs, holder, serverUs, first, places } = reply
      this.#emptyLine = first ? name : undefined
      if (waits && standing) {
        if (places !== undefined) standing.heard(sentAt, serverUs, place)
        if (first) standing.first = place
        else if (standing.first === undefined) standing.ignoreReleases()
        if (first && !heard) this.#listen(name, standing)?.then(() => standing.tell())
        if (places !== undefined && places < standing.size) standing.tell({ placesGone: true })
      }
      return {
        outcome: 'busy',
        remainingMs,
        holder,
        againMs: Math.min(remainingMs, places === undefined ? WITHOUT_PLACE_MS : looksMs) + AFTER_LEASE_MS,
      }
    } catch (error) {
      // What may have been carried out is repeated or abandoned; what was refused is not heard of again.
      if (!(error instanceof StoreError && error.transient)) standing?.leave(place)
      throw error
    }
  }

  /** Its waiter has left. */
  leave(mode: string, { name, owner }: Pick<AcquireRequest, 'name' | 'owner'>): void {
    this.#standing.get(name)?.leave(`${mode}:${owner}`)
  }

  /** Hears what becomes of the process's places of that mode. */
  watch(mode: string, name: string, onNews: Listener): Watch {
    const key = this.names.keyOf(name)
    const standing = this.#standingAt(name)
    const listener: Listener = (news) => onNews(news)
    standing.listeners.add(listener)
    const own = this.channels.hear(this.#ownChannel(name), (text) => {
      if (text === undefined) return onNews()
      // Every lock's grants come here. The quick look spares most of them the long one.
      const told = text.endsWith(key) ? toldIn(text) : undefined
      if (told?.key !== key) return
      for (const grant of told.grants) {
        const grantedTo = ownerOf(grant.place)
        if (!grantedTo || modeOf(grant.place) !== mode || !standing.has(grant.place)) continue
        standing.granted(grant)
        onNews({ grantedTo })
      }
      const { look } = told
      // Of a place that it has no more the process is told to say that it is there, on whichever place it waits.
      if (look && (modeOf(look.place) === mode || !standing.has(look.place))) onNews({ lookInMs: look.inMs })
    })
    const releases = this.#emptyLine === name ? this.#listen(name, standing) : undefined
    return {
      confirmed: Promise.all([own.confirmed, releases]).then(() => undefined),
      get inForce() {
        return own.inForce
      },
      doubt: () => own.doubt?.(),
      close: () => {
        own.close()
        standing.listeners.delete(listener)
        if (standing.listeners.size > 0) return
        standing.ignoreReleases()
        if (this.#standing.get(name) === standing) this.#standing.delete(name)
      },
    }
  }

  #ownChannel(name: string): string {
    return this.names.channelOf(name, this.settings.clientId)
  }

  #hearsReleases(name: string): boolean {
    return this.names.releaseChannels(name).every((channel) => this.channels.subscribed(channel))
  }

  /**
   * While it is the first in line: releases of those who grant to nobody have it ask again. Resolves when they are heard, or cannot be;
   * one may have passed before.
   */
  #listen(name: string, standing: Standing): Promise<unknown> | undefined {
    const channels = this.names.releaseChannels(name)
    if (standing.releases.length > 0 || channels.length === 0) return undefined
    const news = (): void => standing.tell()
    standing.releases = channels.map((channel) => this.channels.hear(channel, news))
    return Promise.allSettled(standing.releases.map(({ confirmed }) => confirmed))
  }

  #standingAt(name: string): Standing {
    let standing = this.#standing.get(name)
    if (!standing) {
      standing = new Standing()
      this.#standing.set(name, standing)
    }
    return standing
  }
}
