import { permitOwnerBytes } from '../../identity/permit-ids.js'
import type { RenewRequest } from '../../ports/store.js'
import { permitsKeyOf, semaphoreLeasesKeyOf } from '../permits/semaphore-keys.js'
import { permitsRenew, renew, rwRenew, semaphoreRenew } from '../scripts/scripts.generated.js'
import { FENCE_RETENTION_MS, renewedKeysOf } from './read-write-keys.js'
import type { Renewal } from './renewal.js'

/** The kinds with a lease in Redis. */
export type LeaseKind = keyof typeof renewalOf

/** How each kind renews its leases, given the client's prefix of all keys. */
export const renewalOf = {
  /** Plain, fair and fenced. */
  lock: (keyPrefix: string, { name, owner, leaseMs }: RenewRequest): Renewal => ({
    script: renew,
    keys: keyPrefix + name,
    args: [owner, leaseMs],
  }),
  read: (keyPrefix: string, request: RenewRequest): Renewal => readWriteRenewal('r', keyPrefix, request),
  write: (keyPrefix: string, request: RenewRequest): Renewal => readWriteRenewal('w', keyPrefix, request),
  semaphore: (keyPrefix: string, { name, owner, leaseMs }: RenewRequest): Renewal => ({
    script: semaphoreRenew,
    keys: [keyPrefix + name, semaphoreLeasesKeyOf(keyPrefix + name)],
    args: [owner, leaseMs],
  }),
  permits: (keyPrefix: string, { name, owner, leaseMs, permits = 0 }: RenewRequest): Renewal => ({
    script: permitsRenew,
    keys: [keyPrefix + name, permitsKeyOf(keyPrefix + name)],
    args: [permitOwnerBytes(owner), permits, leaseMs],
  }),
}

function readWriteRenewal(
  side: 'r' | 'w',
  keyPrefix: string,
  { name, owner, leaseMs }: RenewRequest,
): Renewal {
  const args = [`${side}:${owner}`, leaseMs, FENCE_RETENTION_MS]
  return { script: rwRenew, keys: renewedKeysOf(keyPrefix + name), args }
}
