import { StoreError } from '../../../base/errors/errors.js'
import type { Renewed, RenewRequest } from '../../../port/lock-port.js'
import type { Argument, Renewing } from '../connection/link.js'
import { yesIn } from '../scripts/replies.js'
import { type Keys, runScript, type Script } from '../scripts/script.js'

/** Renews a lease by a script. */
export interface Renewal {
  readonly script: Script
  readonly keys: Keys
  readonly args: readonly Argument[]
  /** Absent: the script answers 1 or 0. */
  readonly read?: (reply: unknown) => Renewed
}

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
