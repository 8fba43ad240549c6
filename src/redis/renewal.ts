import { StoreError } from '../errors.js'
import type { RenewRequest } from '../store.js'
import type { Argument, Link } from './link.js'
import { type Keys, runScript, type Script } from './script.js'
import { renew } from './scripts.generated.js'

/** Starts the leases of reentrant locks anew: one answer for each. */
export function lockRenewals(
  link: Link,
  keyPrefix: string,
  requests: readonly RenewRequest[],
): readonly Promise<boolean>[] {
  return link.together(() =>
    requests.map(({ name, owner, leaseMs, withinMs }) =>
      renewal(link, renew, keyPrefix + name, name, [owner, leaseMs], withinMs),
    ),
  )
}

/** Starts a lease anew by a script that answers 1 or 0. Where the key holds something else by now, the lease is gone for certain. */
export function renewal(
  link: Link,
  script: Script,
  keys: Keys,
  lockName: string,
  args: readonly Argument[],
  withinMs: number | undefined,
): Promise<boolean> {
  const renewed = runScript(link, script, keys, lockName, args, (reply) => reply === 1, { withinMs })
  return renewed.catch((error: unknown) => {
    if (error instanceof StoreError && error.reason === 'wrong-type') return false
    throw error
  })
}
