import type { Clock } from '../../core/clock.js'
import { StoreError } from '../../errors.js'
import type { Owner } from '../../owner.js'
import type { AcquireReply, AcquireRequest, News, StoreLine, Watch } from '../../store.js'
import { type LockParts, ReentrantLockPort } from '../reentrant-lock.js'
import type { ThreadRenewals } from '../watchdog-thread/thread-renewals.js'
import { ClientLine } from './client-line.js'
import type { LockCommands } from './lock-commands.js'
import { toldIn } from './told.js'

/** How long a waiter sleeps at most behind a lock without an end. */
const LONGEST_LOOK_MS = 30_000
/** The store counts the holder's lease from later than this side: a waiter looks so much after its end. */
const AFTER_LEASE_MS = 2

export interface LineSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place is looked after. */
  readonly firstLeaseMs: number
  /** The lease that the watchdog asks for: a grant in line needs no command then, the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly thread?: ThreadRenewals | undefined
  /** Whether each call has a place of its own; else the calls of a process share one. */
  readonly placePerCall: boolean
}

/** What this process knows of one lock: its places in line, and that it is the first there, if so. */
class Standing extends ClientLine {
  onNews: ((news?: News) => void) | undefined
  /** Listens to the release channel, for the first in line. */
  listening: { close(): void } | undefined
}

/**
 * The lock with its line: processes that wait stand in it, and a release grants the lock to the next and tells that process alone.
 * Redisson's clients stand in none and announce theirs on the release channel, to which the first in line listens for all.
 */
export class LineLockPort extends ReentrantLockPort {
  readonly line: StoreLine
  readonly thread: ThreadRenewals | undefined
  readonly #standing = new Map<string, Standing>()

  constructor(
    parts: LockParts,
    commands: LockCommands,
    private readonly settings: LineSettings,
  ) {
    super(parts, commands)
    this.thread = settings.thread
    this.line = {
      placePerCall: settings.placePerCall,
      placeMs: LONGEST_LOOK_MS,
      hears: (name) => parts.channels.subscribed(this.#ownChannel(name)),
    }
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const starting = this.starting()
    if (starting) await starting
    const { name, owner, leaseMs, waits } = request
    const { clock, watchdogLeaseMs, firstLeaseMs } = this.settings
    const standing = waits ? this.#standingAt(name) : this.#standing.get(name)
    const granted = standing?.takeGrant(owner, clock.now())
    if (granted && leaseMs === watchdogLeaseMs) {
      standing?.leave(owner)
      const { fence, ...since } = granted
      return { outcome: 'granted', granted: since, ...(fence !== undefined && { fence }) }
    }
    const looksMs = !waits ? 0 : standing?.stands(owner) ? LONGEST_LOOK_MS : firstLeaseMs
    if (waits) standing?.join(owner)
    try {
      const sentAt = clock.now()
      const heard = this.#hearsReleases(name)
      const reply = await this.commands.acquire(request, looksMs, Math.min(firstLeaseMs, leaseMs))
      if (reply.outcome !== 'busy') {
        standing?.leave(owner)
        return reply
      }
      const { remainingMs, holder, serverMs, first, places } = reply
      if (waits) {
        standing?.heard(sentAt, serverMs, owner)
        if (first) this.#listen(name, standing, heard)
        if (standing && places < standing.size) standing.onNews?.({ placesGone: true })
      }
      return { outcome: 'busy', remainingMs, holder, againMs: Math.min(remainingMs, looksMs) + AFTER_LEASE_MS }
    } catch (error) {
      // What may have been carried out is repeated or abandoned; what was refused is not heard of again.
      if (!(error instanceof StoreError && error.transient)) standing?.leave(owner)
      throw error
    }
  }

  override async abandon(request: AcquireRequest): Promise<void> {
    this.#standing.get(request.name)?.leave(request.owner)
    await super.abandon(request)
  }

  /** Hears what becomes of the process's places. */
  override watch(name: string, onNews: (news?: News) => void): Watch {
    const standing = this.#standingAt(name)
    standing.onNews = onNews
    const own = this.parts.channels.hear(this.#ownChannel(name), (text) => {
      if (text === undefined) return onNews()
      for (const told of toldIn(text)) {
        if (!standing.has(told.owner)) continue
        if ('leaseMs' in told) standing.granted(told)
        onNews('leaseMs' in told ? { grantedTo: told.owner } : { lookInMs: told.inMs })
      }
    })
    return {
      confirmed: own.confirmed,
      get inForce() {
        return own.inForce
      },
      close: () => {
        own.close()
        standing.listening?.close()
        if (this.#standing.get(name) === standing) this.#standing.delete(name)
      },
    }
  }

  protected override starting(): Promise<unknown> | undefined {
    return this.thread?.start()
  }

  #ownChannel(name: string): string {
    return this.commands.channelOf(name, this.settings.clientId)
  }

  #hearsReleases(name: string): boolean {
    return this.#releaseChannels(name).every((channel) => this.parts.channels.subscribed(channel))
  }

  /**
   * Until the watch ends: releases of those who grant to nobody have the first in line ask again.
   * @param heard whether they were listened to when it asked last; if not, one may have passed unheard
   */
  #listen(name: string, standing: Standing | undefined, heard: boolean): void {
    if (!standing || standing.listening) return
    const news = (): void => standing.onNews?.()
    const watches = this.#releaseChannels(name).map((channel) => this.parts.channels.hear(channel, news))
    standing.listening = {
      close: () => {
        for (const watch of watches) watch.close()
      },
    }
    if (!heard) Promise.all(watches.map(({ confirmed }) => confirmed)).then(news, news)
  }

  /** The roster first: who listens to releases and is not on it counts as one that stands in no line. */
  #releaseChannels(name: string): readonly string[] {
    return [this.commands.rosterOf(name), this.commands.releaseChannel(name)]
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
