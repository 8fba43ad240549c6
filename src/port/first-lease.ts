const LONGEST_MS = 5_000
const LEAST_MS = 50

/**
 * How long a grant in line lasts until its process takes over. Short, because a process that has stopped holds up all behind it for that
 * long; not so short that a busy event loop loses it.
 */
export function firstLeaseMs(watchdogLeaseMs: number): number {
  return Math.min(LONGEST_MS, Math.max(LEAST_MS, Math.floor(watchdogLeaseMs / 3)))
}

/** How long at least a process in line rests while others before it look. A few leases of a grant, so that a short watchdog finds them gone soon. */
export function restInLineMs(firstLease: number): number {
  return 6 * firstLease
}
