import type { Owner } from '../base/identity/owner.js'

/**
 * Where a store can renew leases in a thread of its own, which goes on while this thread's event loop is blocked. The watchdog
 * then leaves renewing to it, and steps in while there is no thread, or where it does not get through.
 */
export interface LeaseThread {
  /** Whether there is a thread at the moment. */
  readonly working: boolean
  /**
   * Renews the lease from now on. Call it as soon as the grant is known, before anybody else learns of it (rule L5).
   *
   * @param owner as the store knows it.
   * @param deadline when it ends unless renewed, and `renewUntil` until when it is to be renewed, both on the lease clock.
   */
  add(
    name: string,
    owner: Owner,
    deadline: number,
    renewUntil: number,
    listener: LeaseThreadListener,
  ): ThreadLease
}

/** A lease that is renewed in the thread. */
export interface ThreadLease {
  /** When it ends unless renewed; −Infinity once the store is known not to have it any more. Right without a message. */
  readonly deadline: number
  /** Until when it is renewed. */
  renewUntil: number
  /** This thread has renewed it itself: it lasts at least until then. */
  extend(deadline: number): void
  /** Renewed no more. To be called before the last release is sent (rule L5). A second call does nothing. */
  remove(): void
}

/** What is told when the event loop gets to it. The deadlines are right before. */
export interface LeaseThreadListener {
  renewed(lease: ThreadLease): void
  /** The first failure of a run of them. */
  failed(lease: ThreadLease, cause: unknown): void
  lost(lease: ThreadLease): void
  /** There is no thread for the moment. */
  broken(): void
}
