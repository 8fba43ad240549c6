import type { Call } from '../history/section.js'

/** There and back, as far away as a nemesis puts a worker (network.ts). */
const FARTHEST_TRIP_MS = 20

/**
 * Whether a call gave up because its lease may have been too short for its distance. A quorum gives a server a quarter of the lease to
 * vote: at the farthest distance the round trip alone may take that.
 */
export function isTooShort({ how, leaseMs = Number.POSITIVE_INFINITY }: Call): boolean {
  return how === 'store:timeout' && leaseMs / 4 < FARTHEST_TRIP_MS
}
