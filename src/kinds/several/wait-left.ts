import { LEAST_ANSWER_MS } from '../../core/acquire/outage.js'

/**
 * How long the next of several steps may wait, of the `waitMs` that all of them have together; undefined when the time is up.
 * One attempt (0) stays one attempt for each step, and no end (Infinity) none.
 */
export function waitLeft(waitMs: number, elapsedMs: number): number | undefined {
  if (waitMs === 0 || elapsedMs < waitMs) return waitMs === 0 ? 0 : waitMs - elapsedMs
  // It was shorter than a network may need: then a step more is made, and does not wait for a holder.
  return elapsedMs < LEAST_ANSWER_MS ? 1 : undefined
}
