import type { BusyReply, LockSeen } from '../../port/lock-port.js'

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
