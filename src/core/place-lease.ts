const LONGEST_MS = 5_000
const LEAST_MS = 50

/**
 * How long a client's places in a line last without news of it. Short, because a dead client's place holds up all behind it for
 * that long; not so short that a busy event loop loses it. A hold granted in line has this lease first.
 */
export function placeLeaseMs(watchdogLeaseMs: number): number {
  return Math.min(LONGEST_MS, Math.max(LEAST_MS, Math.floor(watchdogLeaseMs / 3)))
}
