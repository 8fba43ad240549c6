import { StoreError } from '../errors.js'
import type { Argument, Link } from './link.js'
import { type Keys, runScript, type Script } from './script.js'

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
