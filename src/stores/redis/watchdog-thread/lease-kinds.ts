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

/** What has a lease in Redis. */
export type LeaseKind = keyof typeof renewalOf
