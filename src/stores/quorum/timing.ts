import { leaseDeadline } from '../../port/lease.js'

/** The largest part of the lease that waiting for one server may use up: small, because the lease runs meanwhile. */
const SHARE_FOR_ONE_SERVER = 1 / 4

/** The part of the lease that asking again after split votes may use up. */
const SHARE_FOR_TIES = 1 / 10

const FIRST_PAUSE_MS = 4
const LONGEST_PAUSE_MS = 250
const LONGEST_SPLIT_MS = 5_000
/** A call that has waited for so long comes back in half the time of one that begins. */
const YOUNG_MS = 100
/** The longest pause after a release of a call that has just begun to wait. */
const FREE_PAUSE_MS = 20
/** The pause of a client that has released the lock: by then one of the waiters has asked. */
export const ASIDE_MS = 10
/** How long a server leaves a free lock to the client whose turn it is. */
const TURN_MS = 200

/** The rest of a lease for its holder, `elapsedMs` after the request: the lease, less that, less the clocks' drift. */
export function validityMs(leaseMs: number, elapsedMs: number): number {
  return leaseDeadline(0, leaseMs) - elapsedMs
}

/** How long to wait for one server's vote, for a lock with that lease. */
export function voteTimeoutMs(leaseMs: number, serverTimeoutMs: number): number {
  return Math.min(serverTimeoutMs, leaseMs * SHARE_FOR_ONE_SERVER)
}

/** How often the client that goes first asks for the missing votes. The others in the tie give theirs back long before. */
export const TIE_ROUNDS = 5

/** How long to pause before that round of asking again: about the time it takes the others to give back, and twice that each time. */
export function tiePauseMs(round: number, roundTripMs: number, random: number): number {
  return (roundTripMs + 1) * (0.5 + random) * 2 ** (round - 1)
}

/** How long the client that goes first may ask for the missing votes. */
export function tieTimeoutMs(leaseMs: number, serverTimeoutMs: number): number {
  return Math.min(serverTimeoutMs, leaseMs * SHARE_FOR_TIES)
}

/**
 * How long to pause after `times` split votes in a row, given a random number from 0 to 1: from nothing to all of a span that doubles, since
 * clients that collided once must come back far apart, not merely later. A client that has waited long comes back early: otherwise the one
 * that collides most often, and so has waited longest, would pause longest.
 */
export function splitPauseMs(times: number, random: number, waitedMs = 0): number {
  const spanMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(times, 16), LONGEST_PAUSE_MS)
  return 1 + random * spanMs * youth(waitedMs)
}

/** How long a call pauses before it asks for a released lock: calls that have waited longer ask first. */
export function freePauseMs(random: number, waitedMs: number): number {
  return random * FREE_PAUSE_MS * youth(waitedMs)
}

/** How long a call pauses when it is another's turn: longer than that lasts. If the other has died, one of those that wait must find out. */
export function turnPauseMs(random: number): number {
  return TURN_MS * (1 + 2 * random)
}

/** From 1, of a call that begins to wait, towards 0. */
function youth(waitedMs: number): number {
  return 1 / (1 + waitedMs / YOUNG_MS)
}

/**
 * How long after `times` split votes in a row to ask again without a message. Servers announce returned votes; this covers a missed message,
 * so it may grow as long as a waiter may take to notice one.
 */
export function splitAgainMs(times: number): number {
  return Math.min(LONGEST_PAUSE_MS * 2 ** Math.min(times, 16), LONGEST_SPLIT_MS)
}
