import { StoreError } from '../../../base/errors/errors.js'
import { permitOwnerBytes } from '../../../base/identity/permit-ids.js'
import type { Renewed, RenewRequest } from '../../../port/lock-port.js'
import type { Argument, Renewing } from '../connection/link.js'
import { FENCE_RETENTION_MS, renewedKeysOf } from '../keys/read-write-keys.js'
import { permitsKeyOf, semaphoreLeasesKeyOf } from '../keys/semaphore-keys.js'
import { wholeIn, yesIn } from '../scripts/replies.js'
import { type Keys, runScript, type Script } from '../scripts/script.js'
import { permitsRenew, renew, rwRenew, semaphoreRenew } from '../scripts/scripts.generated.js'

/** Renews a lease by a script. The functions that make one get the client's prefix of all keys. */
export interface Renewal {
  readonly script: Script
  readonly keys: Keys
  readonly args: readonly Argument[]
  /** Absent: the script answers 1 or 0. */
  readonly read?: (reply: unknown) => Renewed
}

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

function semaphoreRenewal(keyPrefix: string, { name, owner, leaseMs }: RenewRequest): Renewal {
  const key = keyPrefix + name
  const keys = [key, semaphoreLeasesKeyOf(key)] as const
  return { script: semaphoreRenew, keys, args: [owner, leaseMs], read: lastsIn(leaseMs) }
}

function permitsRenewal(keyPrefix: string, { name, owner, leaseMs, permits = 0 }: RenewRequest): Renewal {
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

/** How to renew each kind of lease. */
export const renewalOf = {
  lock: lockRenewal,
  read: (keyPrefix: string, request: RenewRequest) => readWriteRenewal('r', keyPrefix, request),
  write: (keyPrefix: string, request: RenewRequest) => readWriteRenewal('w', keyPrefix, request),
  semaphore: semaphoreRenewal,
  permits: permitsRenewal,
}

/** The kinds of leases in Redis. */
export type LeaseKind = keyof typeof renewalOf

/** Renews leases in one flight, with an answer for each. A key of another type means that the lease is certainly gone. */
export function renewEach<Request extends RenewRequest>(
  renewing: Renewing,
  requests: readonly Request[],
  renewalOf: (request: Request) => Renewal,
): readonly Promise<Renewed>[] {
  return renewing.together(() =>
    requests.map((request) => {
      const { name, withinMs } = request
      const { script, keys, args, read = yesIn } = renewalOf(request)
      const renewed = runScript(renewing, script, keys, name, args, read, { withinMs })
      return renewed.catch((error: unknown) => {
        if (error instanceof StoreError && error.reason === 'wrong-type') return false
        throw error
      })
    }),
  )
}
