/** However short the wait, the store gets this long for its first answer: else a lock that is free could be refused. */
export const LEAST_ANSWER_MS = 100

/**
 * How long the next of several steps may wait, of the `waitMs` that all of them have together; undefined when the time is up.
 * One attempt (0) stays one attempt for each step, and no end (Infinity) none.
 */
export function waitLeft(waitMs: number, elapsedMs: number): number | undefined {
  if (waitMs === 0 || elapsedMs < waitMs) return waitMs === 0 ? 0 : waitMs - elapsedMs
  // It was shorter than a network may need: then a step more is made, and does not wait for a holder.
  return elapsedMs < LEAST_ANSWER_MS ? 1 : undefined
}
