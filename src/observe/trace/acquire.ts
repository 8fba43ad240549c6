import { tracingChannel } from 'node:diagnostics_channel'
import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import { publishAround } from './around.js'
import { type AcquireOutcome, outcomeOf } from './outcome.js'

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
export type AcquireResult = Pick<AcquireTrace, 'holdCount' | 'handedOver'> &
  Partial<Pick<AcquireTrace, 'holder'>> & { readonly outcome: AcquireOutcome }

/** What a trace says of a call at its start. */
interface AcquireRequest {
  readonly name: string
  readonly kind: string
  readonly owner: Owner
  readonly signal: AbortSignal | undefined
  readonly clock: Pick<Clock, 'now'>
}

/** Ask it for `hasSubscribers` before making what {@link traceAcquire} wants: then tracing costs no more where nobody listens. */
export const acquireChannel = tracingChannel<unknown, AcquireTrace>('holdfast:acquire')

/** Runs one call for a lock and tells listeners. With none it returns the call's own promise. */
export function traceAcquire<Result>(
  request: AcquireRequest,
  run: () => Promise<Result>,
  resultOf: (result: Result) => AcquireResult,
): Promise<Result> {
  if (!acquireChannel.hasSubscribers) return run()
  const { name, kind, owner, signal, clock } = request
  const startedAt = clock.now()
  const trace: AcquireTrace = {
    name,
    kind,
    owner,
    outcome: undefined,
    waitedMs: undefined,
    holdCount: undefined,
    handedOver: undefined,
    holder: undefined,
    error: undefined,
  }
  const ended = (outcome: AcquireOutcome): void => {
    trace.outcome = outcome
    trace.waitedMs = clock.now() - startedAt
  }
  return publishAround(
    acquireChannel,
    trace,
    run,
    (result) => {
      const { outcome, holdCount, handedOver, holder } = resultOf(result)
      ended(outcome)
      trace.holdCount = holdCount
      trace.handedOver = handedOver
      trace.holder = holder
    },
    (error) => ended(outcomeOf(error, signal)),
  )
}
