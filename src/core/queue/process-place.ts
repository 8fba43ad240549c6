import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import type { AcquireReply, LockPort, News } from '../../port/lock-port.js'
import type { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'

interface Place {
  readonly owner: Owner
  /** Until when there is nothing to ask; the process is told of what comes before. */
  restsUntil: number
  /** Whether a waiter asks under its owner at the moment: two would both be granted the lock. */
  lent: boolean
}

/** The one place that the process has in the store's line, if the store keeps one and the process stands in it. */
export class ProcessPlace {
  #place: Place | undefined
  /** A place by which nobody will enter. */
  #surplus: Owner | undefined

  constructor(
    private readonly waiters: WaitQueue,
    private readonly port: LockPort,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Whether it is as if nobody had ever waited here. */
  get untouched(): boolean {
    return this.#place === undefined && this.#surplus === undefined
  }

  get taken(): boolean {
    return this.#place !== undefined
  }

  /** Until when the process need not ask; in the past where it has no place. */
  get restsUntil(): number {
    return this.#place?.restsUntil ?? -Infinity
  }

  /** The owner that the place is kept for, for the next question of one waiter: until that is answered, or given back. */
  lend(): Owner | undefined {
    const place = this.#place
    if (!place || place.lent) return undefined
    place.lent = true
    return place.owner
  }

  /**
   * A store may keep a line no more: the process found a pooler, or a full queue of messages. Then too a place is gone once its owner has
   * the lock: to leave it would give back what it has.
   * @param unread whether something was announced while the question was under way, which may be newer than its answer
   */
  onReply({ askedAs: owner, call }: Waiter, reply: AcquireReply, watching: boolean, unread: boolean): void {
    if (owner === undefined) return
    const place = this.#place
    if (reply.outcome !== 'busy') {
      this.forget(owner)
    } else if (this.port.line && watching && call.waitMs > 0) {
      const restsUntil = unread ? -Infinity : this.clock.now() + (reply.againMs ?? reply.remainingMs)
      if (!place || place.owner === owner) {
        this.#place = { owner, restsUntil, lent: false }
      } else {
        // Two asked at the same time, each for itself: the later place is one too many.
        place.restsUntil = Math.min(place.restsUntil, restsUntil)
        this.desert(owner)
      }
    } else if (place?.owner === owner) {
      place.lent = false
    }
  }

  onSignal(news?: News): void {
    const place = this.#place
    if (place && news?.lookInMs !== undefined)
      place.restsUntil = Math.min(place.restsUntil, this.clock.now() + news.lookInMs)
    else if (place) place.restsUntil = -Infinity
  }

  /** Nobody will enter by that place. */
  desert(owner: Owner): void {
    this.forget(owner)
    this.#surplus = owner
  }

  /** A place that nobody of this process waits on, if there is one: to be left. */
  takeDeserted(): Owner | undefined {
    const surplus = this.#surplus
    this.#surplus = undefined
    if (surplus !== undefined) return surplus
    if (!this.#place || this.waiters.waits) return undefined
    const { owner } = this.#place
    this.#place = undefined
    return owner
  }

  /** What was asked as that owner is unknown, or given back: nobody else is to ask as it. Tells whether it was the process's place. */
  forget(owner: Owner): boolean {
    if (this.#place?.owner !== owner) return false
    this.#place = undefined
    return true
  }
}
