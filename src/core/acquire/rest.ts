/**
 * How long who waits relies on being told, where no lease ends by itself: at a latch, behind permits that were taken without one.
 * An announcement may have been lost with nobody the wiser, and then nothing else would ever have it look.
 */
const LONGEST_REST_MS = 30_000

/** After how long to look again, what is waited for having `remainingMs` left. */
export function restMs(remainingMs: number): number {
  return remainingMs === Infinity ? LONGEST_REST_MS : remainingMs
}
