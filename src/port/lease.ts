import type { Renewed } from './lock-port.js'

/** The shortest useful lease: below it the margin and one round trip eat the lease. */
export const LEAST_LEASE_MS = 10

/** The watchdog renews a lease when a third of it is over. */
const RENEWALS_PER_LEASE = 3

export function renewEveryMs(leaseMs: number): number {
  return leaseMs / RENEWALS_PER_LEASE
}

/** Until when the watchdog renews a hold, counted from its request. "For ever" is a constant, since V8 would allocate a number for each sum. */
export function renewUntil(askedAt: number, maxHoldMs: number): number {
  return maxHoldMs === Infinity ? Infinity : askedAt + maxHoldMs
}

/** Less than that is no sign of a dead connection. */
const LEAST_PATIENCE_MS = 750

/** How long the answer to a renewal may take: so that one more, on a new connection, has as long before the lease has ended. */
export function renewalPatienceMs(leftMs: number): number {
  return Math.max(leftMs * 0.45, LEAST_PATIENCE_MS)
}

/**
 * When a lease ends for its holder. It counts from before the request leaves, because the store starts its own count later; less a margin of
 * one per cent and two milliseconds, because two machines' clocks do not run at the same speed. So for the holder the lease is always over
 * before the store gives the lock away (rule L3).
 */
export function leaseDeadline(beforeSendMs: number, leaseMs: number): number {
  return beforeSendMs + leaseMs - (leaseMs * 0.01 + 2)
}

/** Between these is how long a grant in line lasts. */
const SHORTEST_GRANT_MS = 50
const LONGEST_GRANT_MS = 5_000

/**
 * How long a grant in line lasts until its process takes over. Short, because a process that has stopped holds up all behind it for that
 * long; not so short that a busy event loop loses it.
 */
export function firstLeaseMs(watchdogLeaseMs: number): number {
  return Math.min(LONGEST_GRANT_MS, Math.max(SHORTEST_GRANT_MS, Math.floor(watchdogLeaseMs / 3)))
}

/** How long at least a process in line rests while others before it look. A few leases of a grant, so that a short watchdog finds them gone soon. */
export function restInLineMs(firstLease: number): number {
  return 6 * firstLease
}

/** Of an end that no lease sets the store gives no quarantine: a holder that is to have one leaves so much sooner. */
export function withoutQuarantine(renewed: Renewed, quarantineMs: number): Renewed {
  return typeof renewed === 'number' ? Math.max(renewed - quarantineMs, 1) : renewed
}
