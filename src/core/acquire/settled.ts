import { isTransient } from '../../port/failure.js'
import type { AcquireReply } from '../../port/lock-port.js'
import { CARRIED_OUT } from '../tenure/orphans.js'

/** A request that was refused for good did nothing, and its place is where it was. */
export function stillPlaced(error: unknown): Promise<AcquireReply> {
  return isTransient(error) ? Promise.reject(error) : CARRIED_OUT
}

/** How a request ended that was sent more than once: an answer settles it, another failure does not settle an earlier one. */
export function settledBy(sent: Promise<AcquireReply>, earlier: unknown): Promise<AcquireReply> {
  return earlier === undefined ? sent : sent.catch(() => Promise.reject(earlier))
}
