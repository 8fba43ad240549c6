import { tracingChannel } from 'node:diagnostics_channel'
import type { Owner } from '../../base/identity/owner.js'

/**
 * One hold, as published on the channel `holdfast:hold`: `start` when it was granted, `asyncEnd` when its release was called, its lock was
 * lost or the client was closed; in the last two cases `error` before that. All messages carry the same object. `end` follows `start`
 * at once, and for a section of `withLock` when its body has returned its promise.
 */
export interface HoldTrace {
  readonly name: string
  /** The kind of lock, as people call it: `lock`, `fenced lock`, `read lock`… */
  readonly kind: string
  readonly owner: Owner
  /** The owner's holds, this one included. */
  readonly holdCount: number
  /** From the call to the grant, in milliseconds. */
  readonly waitedMs: number
  /** Whether a call of the same process handed the lock over. */
  readonly handedOver: boolean
  /** From the grant to the end, in milliseconds; undefined while it lasts. */
  heldMs: number | undefined
  /** Why it ended before its release was called: a `LockLostError` or a `ClosedError`. */
  error: unknown
  /**
   * How to run the body of a section, if a listener of `start` has set it: for tracers that keep their context in no
   * `AsyncLocalStorage` that could be bound to `start`.
   */
  within: (<Result>(body: () => Result) => Result) | undefined
}

export const holdChannel = tracingChannel<unknown, HoldTrace>('holdfast:hold')

/** What the functions below tell of one hold; without it, when nobody listens, they do nothing. Tells nothing yet. */
export function holdTrace(grant: Omit<HoldTrace, 'heldMs' | 'error' | 'within'>): HoldTrace {
  return { ...grant, heldMs: undefined, error: undefined, within: undefined }
}

/** A hold has begun whose end its caller decides. */
export function beginHold(trace: HoldTrace | undefined): void {
  runHeld(trace, () => undefined)
}

/**
 * A hold has begun that lasts for a section. The body runs within what listeners have bound to `start` (`bindStore`): what it
 * traces itself belongs to this hold. So does {@link HoldTrace.within}.
 */
export function runHeld<Result>(trace: HoldTrace | undefined, body: () => Result): Result {
  if (!trace) return body()
  return holdChannel.start.runStores(trace, () => {
    try {
      return trace.within ? trace.within(body) : body()
    } finally {
      holdChannel.end.publish(trace)
    }
  })
}

/** Ends the trace of a hold: `error` says why, unless the release ended it. Only the first call counts. */
export function endHold(trace: HoldTrace | undefined, heldMs: number, error?: Error): void {
  if (!trace || trace.heldMs !== undefined) return
  trace.heldMs = heldMs
  if (error) {
    trace.error = error
    holdChannel.error.publish(trace)
  }
  holdChannel.asyncStart.publish(trace)
  holdChannel.asyncEnd.publish(trace)
}
