import { isTransient } from '../../port/failure.js'
import type { Environment } from '../environment.js'
import type { Tenure } from '../tenure/tenure.js'
import { retryWithinLease } from '../tenure/within-lease.js'

/**
 * Has a lease last for at least so long from now on, because somebody asked for that: a renewal at another time and for another time. It
 * is sent again like every command, since a second one does no harm; a failure leaves the lease as it is, or as long as was asked for.
 */
export async function extend(env: Environment, tenure: Tenure, leaseMs: number): Promise<void> {
  const { tenures, port, settings } = env
  const { clock } = env.schedule
  const { name, storedAs: owner, permits } = tenure
  const renew = async (): Promise<readonly [sentAt: number, lastsMs: number] | undefined> => {
    const sentAt = clock.now()
    const renewing = port.renew([{ name, owner, permits, leaseMs: leaseMs + settings.quarantineMs }])
    const renewed = await renewing[0]
    return renewed ? [sentAt, renewed === true ? leaseMs : renewed] : undefined
  }
  let extended: Awaited<ReturnType<typeof renew>>
  try {
    extended = await retryWithinLease(env, tenure, renew)
  } catch (error) {
    if (isTransient(error)) {
      tenure.mayLast(clock.now() + leaseMs)
      env.orphans.retire(owner)
    }
    throw error
  }
  if (tenure.state !== 'held' || !tenures.stillHeld(tenure)) return
  if (extended) tenures.extended(tenure, ...extended)
  else tenures.lose(tenure, 'not-in-store', undefined)
}
