import type { Call } from '../history/section.js'

/** There and back, as far away as a nemesis puts a worker (network.ts). */
const FARTHEST_TRIP_MS = 20

/**
 * Whether a call left the store too little time. A quorum gives a server a quarter of the lease to vote: at the farthest distance the
 * round trip alone may take that.
 * @param slowMs what the store may take for a grant
 */
export function isTooShort(
  { how, leaseMs = Number.POSITIVE_INFINITY, waitMs = Number.POSITIVE_INFINITY }: Call,
  slowMs: number,
): boolean {
  if (leaseMs < slowMs) return true
  return how === 'store:timeout' && (leaseMs / 4 < FARTHEST_TRIP_MS || waitMs < slowMs)
}
