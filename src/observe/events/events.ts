import type { EventEmitter } from 'eventemitter3'
import type { DeadlockLink } from '../../base/errors/deadlock-error.js'
import type { LossReason, StoreError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'

/**
 * A call did not get the lock at once and waits. Emitted once for each waiting call when it waits for another owner; and once, with a `cause`,
 * if the store fails or is silent for a second.
 */
export interface WaitingEvent {
  readonly name: string
  readonly owner: Owner
  /** The owner that holds the lock, if known. */
  readonly holder: Owner | undefined
  /** The label of the holder's client, if known. */
  readonly holderLabel: string | undefined
  /**
   * Since when the holder has the lock, in milliseconds since 1970 by the store's clock. Undefined if the store does not know that, or if
   * Holdfast did not ask because this process has the lock itself.
   */
  readonly heldSince: number | undefined
  /** Time left of the holder's lease in milliseconds. */
  readonly remainingMs: number
  /** Why Holdfast knows nothing of the lock: it cannot reach the store, or the store does not answer. Undefined if it answered. */
  readonly cause: StoreError | undefined
}

/** A hold was granted. */
export interface AcquiredEvent {
  readonly name: string
  readonly owner: Owner
  /** The owner's holds, the new one included. */
  readonly holdCount: number
  /** From the call to the grant, in milliseconds. */
  readonly waitedMs: number
}

/** The watchdog has renewed a lease. */
export interface RenewedEvent {
  readonly name: string
  readonly owner: Owner
  /** Time left by the local clock, in milliseconds. */
  readonly remainingMs: number
}

/** A hold was released. */
export interface ReleasedEvent {
  readonly name: string
  readonly owner: Owner
  /** The owner's remaining holds; 0 when the lock is free. */
  readonly holdCount: number
}

/** A renewal failed; Holdfast retries it until the lease ends. Emitted once for each series of failures. */
export interface SuspendedEvent {
  readonly name: string
  readonly owner: Owner
  /** Time left to reach the store again, by the local clock, in milliseconds. */
  readonly remainingMs: number
  readonly cause: unknown
}

/**
 * A process lost a lock. Emitted once for the owner that has the lock when Holdfast notices, and before that for each owner whose
 * section ended with a hand-over in memory since the store last confirmed the lock: the lock may have been lost already then.
 */
export interface LostEvent {
  readonly name: string
  readonly owner: Owner
  readonly reason: LossReason
  readonly cause: unknown
  /** Whether the owner's section had ended before Holdfast noticed the loss. Its call has reported success, and no signal aborts. */
  readonly over: boolean
}

/**
 * A likely mistake in the program:
 * - `LONG_LOCAL_WAIT`: a call has waited long (`warnAfterMs`) for a lock that its own process holds. It probably waits for itself,
 *   because the code nests without an owner scope. The stacks are present if the `diagnostics` option is on.
 * - `LEFT_LOCKED`: a `run` ended with a `lock()` that was not unlocked. The watchdog no longer renews it.
 * - `DROPPED_HOLD`: a hold without an explicit lease was garbage-collected before it was released, after its lease had been renewed at least
 *   once (a third of `watchdogMs`). Holdfast renews it until the
 *   process ends, the client is closed or `maxHoldMs` is over. With the `diagnostics` option, `holderStack` says where it was taken.
 */
export interface WarningEvent {
  readonly code: 'LONG_LOCAL_WAIT' | 'LEFT_LOCKED' | 'DROPPED_HOLD'
  readonly name: string
  /** The owner that waits, that left the lock locked, or that dropped its hold. */
  readonly owner: Owner
  readonly holder: Owner
  readonly message: string
  readonly waitedMs: number
  readonly waiterStack: string | undefined
  readonly holderStack: string | undefined
}

/**
 * A call of this client is in a deadlock: owners, of any processes, wait for locks that the others hold. Emitted once for each cycle, by each
 * client that has a call in it. See docs/deadlocks.md.
 */
export interface DeadlockEvent {
  /** Each waits for what the next one holds, and the last one for what the first holds. */
  readonly cycle: readonly DeadlockLink[]
  /** The owner whose call ends with a `DeadlockError`: the youngest wait of a client with `onDeadlock: 'reject'`. Undefined: nobody's. */
  readonly victim: Owner | undefined
}

/** The events of a `Holdfast`. A listener that throws breaks no lock: its error is emitted as `error`. */
export interface HoldfastEvents {
  waiting: (event: WaitingEvent) => void
  acquired: (event: AcquiredEvent) => void
  renewed: (event: RenewedEvent) => void
  released: (event: ReleasedEvent) => void
  suspended: (event: SuspendedEvent) => void
  lost: (event: LostEvent) => void
  warning: (event: WarningEvent) => void
  deadlock: (event: DeadlockEvent) => void
  /** A background failure that no promise reported. Without a listener Holdfast drops it; it never throws. */
  error: (error: unknown) => void
}

/** Emits an event. */
export type Emit = <Name extends keyof HoldfastEvents>(
  event: Name,
  ...payload: EventEmitter.EventArgs<HoldfastEvents, Name>
) => void

/** The events of one client, as its parts emit them. */
export interface Events {
  readonly emit: Emit
  /** Whether anybody listens: without a listener there is no need to make the event. */
  readonly hears: (event: keyof HoldfastEvents) => boolean
}
