import { ClosedError } from '../errors.js'

/** How a call for a lock ended. */
export type AcquireOutcome = 'granted' | 'timeout' | 'cancelled' | 'failed'

/** What a call that rejected came to: its caller (or the client's end) wanted it so, or something went wrong. */
export function outcomeOf(error: unknown, signal: AbortSignal | undefined): 'cancelled' | 'failed' {
  const wanted = error instanceof ClosedError || (signal?.aborted === true && Object.is(error, signal.reason))
  return wanted ? 'cancelled' : 'failed'
}
