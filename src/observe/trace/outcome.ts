import { reasonOf } from '../../base/errors/abort-reason.js'
import { ClosedError } from '../../base/errors/errors.js'

/** How a call for a lock ended. */
export type AcquireOutcome = 'granted' | 'timeout' | 'cancelled' | 'failed'

/** The outcome of a call that rejected: cancelled by its caller or by `close()`, or failed. */
export function outcomeOf(error: unknown, signal: AbortSignal | undefined): 'cancelled' | 'failed' {
  const wanted =
    error instanceof ClosedError || (signal?.aborted === true && Object.is(error, reasonOf(signal)))
  return wanted ? 'cancelled' : 'failed'
}
