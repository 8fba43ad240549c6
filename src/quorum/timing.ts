import { leaseDeadline } from '../core/lease/lease.js'

/** The part of the lease that one server may use up, at most: small, because what is waited for is gone from the lease. */
const SHARE_FOR_ONE_SERVER = 1 / 4

/** The part of the lease that may go for asking again after votes were split. */
const SHARE_FOR_TIES = 1 / 10

const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 250
const LONGEST_SPLIT_MS = 5_000

/** What is left of a lease for its holder, `elapsedMs` after it was asked for: the lease, less that, less the clocks' drift. */
export function validityMs(leaseMs: number, elapsedMs: number): number {
  return leaseDeadline(0, leaseMs) - elapsedMs
}

/** How long one server's vote is waited for, for a lock with that lease. */
export function voteTimeoutMs(leaseMs: number, serverTimeoutMs: number): number {
  return Math.min(serverTimeoutMs, leaseMs * SHARE_FOR_ONE_SERVER)
}

/** How often the client that goes first asks for the votes it lacks. The others in the tie have given theirs back long before. */
export const TIE_ROUNDS = 5

/** How long to pause before that round of asking again: about the time it takes the others to give back, and twice that each time. */
export function tiePauseMs(round: number, roundTripMs: number, random: number): number {
  return (roundTripMs + 1) * (0.5 + random) * 2 ** (round - 1)
}

/** How long whoever goes first may go on asking for the votes it lacks. */
export function tieTimeoutMs(leaseMs: number, serverTimeoutMs: number): number {
  return Math.min(serverTimeoutMs, leaseMs * SHARE_FOR_TIES)
}

/**
 * How long to pause after votes were split `times` times in a row, given a random number from 0 to 1. From nothing to all of a
 * span that doubles: clients that met once are to come back far from each other, not merely later.
 */
export function splitPauseMs(times: number, random: number): number {
  return 1 + random * Math.min(FIRST_PAUSE_MS * 2 ** Math.min(times, 16), LONGEST_PAUSE_MS)
}

/**
 * How long after votes were split `times` times in a row to ask again by oneself. What frees them is announced; this is for news
 * that was missed, so it may get as long as it may take to find that out.
 */
export function splitAgainMs(times: number): number {
  return Math.min(LONGEST_PAUSE_MS * 2 ** Math.min(times, 16), LONGEST_SPLIT_MS)
}
