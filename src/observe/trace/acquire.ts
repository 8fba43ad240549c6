import { tracingChannel } from 'node:diagnostics_channel'
import { ClosedError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import { reasonOf } from '../../base/waiting/signals.js'
import { publishAround } from './around.js'

/** How a call for a lock ended. */
export type AcquireOutcome = 'granted' | 'timeout' | 'cancelled' | 'failed'

/**
 * One call for a lock, as published on the channel `holdfast:acquire`: `start` when it began, `asyncEnd` when it was granted or
 * refused, `error` before that if it was cancelled or failed. All messages carry the same object; properties not yet known are
 * undefined.
 */
export interface AcquireTrace {
  readonly name: string
  /** The kind of lock, as people call it: `lock`, `fenced lock`, `read lock`… */
  readonly kind: string
  readonly owner: Owner
  outcome: AcquireOutcome | undefined
  /** From the call to its end, in milliseconds. */
  waitedMs: number | undefined
  /** If granted: the owner's holds, the new one included. */
  holdCount: number | undefined
  /** If granted: whether a call of the same process handed the lock over. */
  handedOver: boolean | undefined
  /** If refused: whom the store named as the holder, of whichever process; undefined where it names none. */
  holder: Owner | undefined
  /** The call's rejection, if it was cancelled or failed. A time-out is an outcome, not an error. */
  error: unknown
}

/** What a call that did not reject came to. */
export type AcquireResult = Partial<AcquireTrace> & { readonly outcome: AcquireOutcome }

/** The outcome of a call that rejected: cancelled by its caller or by `close()`, or failed. */
export function outcomeOf(error: unknown, signal: AbortSignal | undefined): 'cancelled' | 'failed' {
  const wanted =
    error instanceof ClosedError || (signal?.aborted === true && Object.is(error, reasonOf(signal)))
  return wanted ? 'cancelled' : 'failed'
}

export const acquireChannel = tracingChannel<unknown, AcquireTrace>('holdfast:acquire')

/** Runs one call for a lock and tells listeners. Not without any: then tracing costs nothing. */
export function traceAcquire<Result>(
  call: Pick<AcquireTrace, 'name' | 'kind' | 'owner'>,
  signal: AbortSignal | undefined,
  clock: Pick<Clock, 'now'>,
  run: () => Promise<Result>,
  resultOf: (result: Result) => AcquireResult,
): Promise<Result> {
  const startedAt = clock.now()
  const trace: AcquireTrace = {
    ...call,
    outcome: undefined,
    waitedMs: undefined,
    holdCount: undefined,
    handedOver: undefined,
    holder: undefined,
    error: undefined,
  }
  const told = (result: AcquireResult) => ({ ...result, waitedMs: clock.now() - startedAt })
  return publishAround(
    acquireChannel,
    trace,
    run,
    (result) => told(resultOf(result)),
    (error) => told({ outcome: outcomeOf(error, signal) }),
  )
}
