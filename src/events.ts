import type { EventEmitter } from 'eventemitter3'
import type { LossReason } from './errors.js'
import type { Owner } from './owner.js'

/** A call could not be granted at once and waits. Emitted once for each call that waits. */
export interface WaitingEvent {
  readonly name: string
  readonly owner: Owner
  /** Who holds the lock, where known. */
  readonly holder: Owner | undefined
  /** Time left of the holder's lease in milliseconds. */
  readonly remainingMs: number
}

/** A hold was granted. */
export interface AcquiredEvent {
  readonly name: string
  readonly owner: Owner
  /** Holds of this owner, the new one included. */
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

/** A hold was given back. */
export interface ReleasedEvent {
  readonly name: string
  readonly owner: Owner
  /** Holds of this owner that are left; 0 when the lock is free. */
  readonly holdCount: number
}

/** A renewal failed. It is tried again until the lease ends; emitted once for each run of failures. */
export interface SuspendedEvent {
  readonly name: string
  readonly owner: Owner
  /** Time left by the local clock to get through to the store again, in milliseconds. */
  readonly remainingMs: number
  readonly cause: unknown
}

/**
 * A lock that was held is no longer. Emitted once for the owner that has it when that is found out, and before that for each whose
 * section ended, and handed the lock on in memory, after the store was last heard to know of it: it may have been lost already.
 */
export interface LostEvent {
  readonly name: string
  readonly owner: Owner
  readonly reason: LossReason
  readonly cause: unknown
  /** Whether that owner's section had ended before the loss was found out; its call has reported success, and no signal aborts. */
  readonly over: boolean
}

/**
 * Something that is likely a mistake in the program:
 * - `LONG_LOCAL_WAIT`: a call has waited long (`warnAfterMs`) for a lock that its own process holds. Likely it waits for itself,
 *   because the code nests without an owner scope. The stacks are there when the `diagnostics` option is on.
 * - `LEFT_LOCKED`: a `run` ended with a `lock()` that was not unlocked. The watchdog no longer renews it.
 * - `DROPPED_HOLD`: a hold without a lease of its own was garbage-collected before it was released. Holdfast renews it until the process
 *   ends, the client is closed or `maxHoldMs` is over. With the `diagnostics` option on, `holderStack` says where it was taken.
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

/** What a `Holdfast` emits. A listener that throws breaks no lock: what it threw is emitted as `error`. */
export interface HoldfastEvents {
  waiting: (event: WaitingEvent) => void
  acquired: (event: AcquiredEvent) => void
  renewed: (event: RenewedEvent) => void
  released: (event: ReleasedEvent) => void
  suspended: (event: SuspendedEvent) => void
  lost: (event: LostEvent) => void
  warning: (event: WarningEvent) => void
  /** Trouble that no call could be told of. Without a listener it is dropped; it never throws. */
  error: (error: unknown) => void
}

/** How the core tells what happened. */
export type Emit = <Name extends keyof HoldfastEvents>(
  event: Name,
  ...payload: EventEmitter.EventArgs<HoldfastEvents, Name>
) => void
