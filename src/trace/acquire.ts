import { tracingChannel } from 'node:diagnostics_channel'
import type { Clock } from '../core/clock.js'
import type { Owner } from '../owner.js'
import { publishAround } from './around.js'
import { type AcquireOutcome, outcomeOf } from './outcome.js'

/**
 * One call for a lock, as the channel `holdfast:acquire` tells of it: `start` when it was asked for, `asyncEnd` when it was granted
 * or refused, `error` before that when it was cancelled or failed. All get the same object; what is not known yet is undefined.
 */
export interface AcquireTrace {
  readonly name: string
  readonly owner: Owner
  outcome: AcquireOutcome | undefined
  /** From the call to its end, in milliseconds. */
  waitedMs: number | undefined
  /** When granted: holds of this owner, the new one included. */
  holdCount: number | undefined
  /** When granted: whether a call of the same process handed the lock over. */
  handedOver: boolean | undefined
  /** What the call rejected with, when it was cancelled or failed. Running out of time is an outcome and no error. */
  error: unknown
}

/** What a call that did not reject came to. */
export type AcquireResult = Pick<AcquireTrace, 'holdCount' | 'handedOver'> & {
  readonly outcome: AcquireOutcome
}

/** A call, as far as it is told. */
interface AcquireRequest {
  readonly name: string
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
  const { name, owner, signal, clock } = request
  const startedAt = clock.now()
  const trace: AcquireTrace = {
    name,
    owner,
    outcome: undefined,
    waitedMs: undefined,
    holdCount: undefined,
    handedOver: undefined,
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
      const { outcome, holdCount, handedOver } = resultOf(result)
      ended(outcome)
      trace.holdCount = holdCount
      trace.handedOver = handedOver
    },
    (error) => ended(outcomeOf(error, signal)),
  )
}
