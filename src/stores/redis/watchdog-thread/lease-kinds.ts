import {
  lockRenewal,
  permitsRenewal,
  readRenewal,
  semaphoreRenewal,
  writeRenewal,
} from '../renewals/lease-renewals.js'

/** How the thread starts each kind of lease anew. */
export const renewalOf = {
  lock: lockRenewal,
  read: readRenewal,
  write: writeRenewal,
  semaphore: semaphoreRenewal,
  permits: permitsRenewal,
}

/** The kinds of leases in Redis. */
export type LeaseKind = keyof typeof renewalOf
