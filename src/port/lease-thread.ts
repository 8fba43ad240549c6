import type { Owner } from '../base/identity/owner.js'

/**
 * Renews leases in a thread of its own, which goes on while this thread's event loop is blocked. The watchdog leaves renewals to it, and
 * steps in while there is no thread, or the thread does not reach the store.
 */
export interface LeaseThread {
  /** Whether there is a thread at the moment. */
  readonly working: boolean
  /**
   * Renews the lease from now on. Call it at the grant, before the caller of the lock learns of it (rule L5).
   *
   * @param owner as the store knows it.
   * @param deadline when the lease ends without a renewal, and `renewUntil` when the renewals end, both on the lease clock.
   */
  add(
    name: string,
    owner: Owner,
    deadline: number,
    renewUntil: number,
    listener: LeaseThreadListener,
  ): ThreadLease
}

/** A lease that the thread renews. */
export interface ThreadLease {
  /** When it ends without a renewal; −Infinity once the store surely does not have it. Right without a message. */
  readonly deadline: number
  /** When the renewals end. */
  renewUntil: number
  /** This thread has renewed it itself: it lasts at least until then. */
  extend(deadline: number): void
  /** Ends the renewals. Call it before you send the last release (rule L5). A second call does nothing. */
  remove(): void
}

/** Hears of renewals when the event loop gets to it. The deadlines are right before. */
export interface LeaseThreadListener {
  renewed(lease: ThreadLease): void
  /** The first failure of a run of them. */
  failed(lease: ThreadLease, cause: unknown): void
  lost(lease: ThreadLease): void
  /** There is no thread for the moment. */
  broken(): void
}
