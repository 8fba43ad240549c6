import { permitOwnerBytes } from '../../../base/identity/permit-ids.js'
import type { Renewed, RenewRequest } from '../../../port/lock-port.js'
import { FENCE_RETENTION_MS, renewedKeysOf } from '../keys/read-write-keys.js'
import { permitsKeyOf, semaphoreLeasesKeyOf } from '../keys/semaphore-keys.js'
import { wholeIn } from '../scripts/replies.js'
import { permitsRenew, renew, rwRenew, semaphoreRenew } from '../scripts/scripts.generated.js'
import type { Renewal } from './renewal.js'

/** The commands that renew the leases of each kind, for the client's prefix of all keys. */

/** Plain, fair, fenced and spin locks. */
export function lockRenewal(keyPrefix: string, { name, owner, leaseMs }: RenewRequest): Renewal {
  return { script: renew, keys: keyPrefix + name, args: [owner, leaseMs] }
}

export function readWriteRenewal(
  side: 'r' | 'w',
  keyPrefix: string,
  { name, owner, leaseMs }: RenewRequest,
): Renewal {
  const args = [`${side}:${owner}`, leaseMs, FENCE_RETENTION_MS]
  return { script: rwRenew, keys: renewedKeysOf(keyPrefix + name), args }
}

export function semaphoreRenewal(keyPrefix: string, { name, owner, leaseMs }: RenewRequest): Renewal {
  const key = keyPrefix + name
  const keys = [key, semaphoreLeasesKeyOf(key)] as const
  return { script: semaphoreRenew, keys, args: [owner, leaseMs], read: lastsIn(leaseMs) }
}

export function permitsRenewal(
  keyPrefix: string,
  { name, owner, leaseMs, permits = 0 }: RenewRequest,
): Renewal {
  const key = keyPrefix + name
  const args = [permitOwnerBytes(owner), permits, leaseMs]
  return { script: permitsRenew, keys: [key, permitsKeyOf(key)], args, read: lastsIn(leaseMs) }
}

/** Reads for how long permits were renewed; 0: their owner has none. */
function lastsIn(leaseMs: number): (reply: unknown) => Renewed {
  return (reply) => {
    const lastsMs = wholeIn(reply, 0)
    return lastsMs > 0 && (lastsMs >= leaseMs || lastsMs)
  }
}

/** How the watchdog thread starts each kind of lease anew. */
export const renewalOf = {
  lock: lockRenewal,
  read: (keyPrefix: string, request: RenewRequest) => readWriteRenewal('r', keyPrefix, request),
  write: (keyPrefix: string, request: RenewRequest) => readWriteRenewal('w', keyPrefix, request),
  semaphore: semaphoreRenewal,
  permits: permitsRenewal,
}

/** The kinds of leases in Redis. */
export type LeaseKind = keyof typeof renewalOf
