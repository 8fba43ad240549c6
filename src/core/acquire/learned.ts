import type { Owner } from '../../base/identity/owner.js'
import type { AcquireReply, BusyReply, LockSeen } from '../../port/lock-port.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { restMs } from '../queue/release-watch.js'
import type { Tenure } from '../tenure/tenure.js'
import { Outage } from './outage.js'

/** For how long a single attempt, or a look, goes on that meets a lock with perhaps nobody inside: for its process to hear of it, and to let go. */
const PATIENCE_MS = 25

/** A lock that lingers does not refuse a single attempt, nor look held: both are repeated, after 1, 2, 4 and more milliseconds, for a while. */
export class Patience {
  #until: number | undefined
  #pauseMs = 1
  /** When to ask again after the answer that was heard last; undefined where that stands. */
  askAgainAt: number | undefined

  refused({ lingers }: BusyReply | LockSeen, now: number): void {
    this.#until ??= now + PATIENCE_MS
    this.askAgainAt = lingers && now < this.#until ? Math.min(now + this.#pauseMs, this.#until) : undefined
    this.#pauseMs *= 2
  }
}

/** What one call has learned of its lock: from the store's answers to it, and from what its process knows. */
export class Learned {
  outage: Outage | undefined
  patience: Patience | undefined
  /** Whether the watch was in force when it learned that, so that no release can have slipped by. */
  watching = false
  busyUntil = -Infinity
  /** When to ask again, although the lock may be busy still. */
  askAgainAt = Infinity
  /** How often it has asked the store. */
  asked = 0
  /** Who had the lock, and what was announced last, when the store last refused this call with the watch in force. */
  #refused: { readonly holder: Owner | undefined; readonly version: number } | undefined

  /** @param failingSince since when the store had failed the caller before this call */
  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private failingSince: number | undefined,
  ) {}

  /** The store has failed what the call sent then. */
  failed(cause: unknown, sentAt: number, now: number): void {
    this.outage ??= new Outage(this.failingSince)
    this.outage.failed(cause, sentAt, now)
  }

  /** The process itself has the lock: as good as an answer. */
  ofTenure(tenure: Tenure): void {
    this.outage?.forget()
    this.failingSince = undefined
    // One that is being released ends with the answer to that, which wakes; its deadline may have passed already.
    this.askAgainAt = Infinity
    this.busyUntil = tenure.state === 'held' ? tenure.deadline : Infinity
    this.watching = this.queue.watch.inForce
  }

  /** What the next answer would be is known from one to another call of this process. */
  ofOthers(until: number): void {
    this.askAgainAt = until
    // What was seen to have no end has none by being looked at.
    if (this.busyUntil !== Infinity) this.busyUntil = until
    this.watching = this.queue.watch.inForce
  }

  /** When to ask again after a failure of the store; undefined while it answers. */
  retryAt(now: number): number | undefined {
    return this.outage?.retryAt(now, this.env.settings.storeTimeoutMs)
  }

  /** The store answers, for all calls of the lock. Whether this call can still use a grant is decided later. */
  storeAnswers(reply: AcquireReply): void {
    if (reply.outcome !== 'granted') {
      this.outage = undefined
      this.failingSince = undefined
    }
    this.queue.outage = undefined
    this.env.orphans.storeHasAnswered = true
  }

  /** That answer takes the place of what was known before: a grant that comes too late must not leave an old reason to sleep. */
  ofReply(reply: AcquireReply, watching: boolean): void {
    const { watch } = this.queue
    this.storeAnswers(reply)
    this.watching = watching
    this.busyUntil = -Infinity
    this.askAgainAt = Infinity
    const holder = reply.outcome === 'busy' ? reply.holder : undefined
    const same = reply.outcome === 'busy' && holder === this.#refused?.holder
    // Given away without a word while this call listened. (Where a lease has ended there was none to be said.)
    if (this.#refused?.version === watch.version && !same) watch.doubt()
    this.#refused = reply.outcome === 'busy' && watching ? { holder, version: watch.version } : undefined
  }

  /** Another owner has the lock. */
  ofHolder(reply: BusyReply): void {
    const { queue } = this
    const holder = queue.ownerBehind(reply.holder)
    // It is the time of the owner that the store names.
    const heldSince = holder === reply.holder ? reply.heldSince : undefined
    const now = this.env.schedule.clock.now()
    queue.saw({ holder, heldSince, until: now + reply.remainingMs })
    this.busyUntil = now + reply.remainingMs
    this.askAgainAt = now + (reply.againMs ?? restMs(reply.remainingMs))
    if (queue.held) return
    this.patience ??= new Patience()
    this.patience.refused(reply, now)
  }
}
