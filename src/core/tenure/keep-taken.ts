import { nobody, type Owner } from '../../base/identity/owner.js'
import { noAnswer } from '../../port/failure.js'
import { type FailedTry, retry } from '../acquire/retry.js'
import type { Environment } from '../environment.js'
import type { Tenure } from './tenure.js'
import { withinLease } from './within-lease.js'

/** How much longer the lock has to stay taken after its release, in whole milliseconds; 0: not at all. */
export function keptForMs({ schedule }: Environment, { kept }: Tenure): number {
  return kept === undefined ? 0 : Math.max(Math.ceil(kept.until - schedule.clock.now()), 0)
}

/**
 * The end of a possession that leaves the lock taken for a while: nobody gets it, or who can adopt it, with what is left of the time as the lease. On the
 * store's clock that is never too soon: the time counts from when the grant was known here, and ends so long after the store is told.
 * If it cannot be told, the lock ends with its lease. False: it was lost.
 * @param askedAt when the release was asked for, from which on its time counts
 * @param givenUp set where the store has failed for too long already
 */
export async function keepTaken(
  env: Environment,
  tenure: Tenure,
  askedAt: number,
  givenUp: FailedTry | undefined,
): Promise<boolean> {
  const { port, pauses, settings, orphans } = env
  const { clock } = env.schedule
  const { name, storedAs: from, deadline } = tenure
  const to = tenure.kept?.as ?? nobody()
  const begunAt = clock.now()
  const give = async (): Promise<boolean> => {
    const leaseMs = Math.max(keptForMs(env, tenure), 1)
    const request = { name, from, owner: to, heldBefore: 0, leaseMs }
    const reply = await withinLease(env, tenure, begunAt, 'handOver', () => port.handOver(request))
    return reply.outcome === 'granted'
  }
  try {
    return await retry(
      give,
      {
        clock,
        pause: (again) => pauses.until(again),
        patienceMs: askedAt + settings.storeTimeoutMs - begunAt,
        givesUp: (again) => env.closed || again >= deadline,
      },
      givenUp,
    )
  } catch (error) {
    // The store may have the lock down to it until its lease ends.
    orphans.retire(from)
    if (tenure.kept?.as) giveBack(env, tenure, to)
    throw error
  }
}

/** Nobody has been told how to adopt it. First of the one that had it: then no copy of the request can pass it on any more. */
function giveBack(
  { orphans, schedule }: Environment,
  { name, storedAs, deadline, kept }: Tenure,
  to: Owner,
): void {
  const until = Math.max(deadline, kept?.until ?? 0)
  const request = { name, heldBefore: 0, leaseMs: Math.max(until - schedule.clock.now(), 0) }
  const unknown = (): Promise<never> => Promise.reject(noAnswer(name, { asks: 'handOver' }))
  void orphans
    .begin({ ...request, owner: storedAs }, unknown())
    .then(() => orphans.begin({ ...request, owner: to }, unknown()))
}
