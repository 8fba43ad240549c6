import { nobody } from '../../base/identity/owner.js'
import { noAnswer } from '../../port/failure.js'
import type { ReleaseReply } from '../../port/lock-port.js'
import type { Environment } from '../environment.js'
import type { Tenure } from './tenure.js'

/** How much longer the lock has to stay taken after its release, in whole milliseconds; 0: not at all. */
export function keptForMs({ kept }: Tenure, now: number): number {
  return kept === undefined ? 0 : Math.max(Math.ceil(kept.until - now), 0)
}

/**
 * The command that leaves the lock taken for a while: nobody gets it, or who can adopt it, with what is left of the time as the lease. On the
 * store's clock that is never too soon: the time counts from when the grant was known here, and ends so long after the store is told.
 * If it cannot be told, the lock ends with its lease.
 */
export function keepTaken(env: Environment, tenure: Tenure): () => Promise<ReleaseReply> {
  const { name, storedAs: from, kept } = tenure
  const owner = kept?.as ?? nobody(from)
  return async () => {
    const leaseMs = Math.max(keptForMs(tenure, env.schedule.clock.now()), 1)
    const { outcome } = await env.port.handOver({ name, from, owner, heldBefore: 0, leaseMs })
    return outcome === 'granted' ? 'still-held' : 'not-owner'
  }
}

/**
 * Whether the store has carried that out is unknown. Nobody has been told how to adopt it, so it is given back: first by the one that had it,
 * then no copy of the request can pass it on any more.
 */
export function giveBack({ orphans, schedule, tenures }: Environment, tenure: Tenure): void {
  const { name, storedAs, deadline, kept } = tenure
  tenures.end(tenure)
  if (!kept?.as) return
  const { as: owner, until } = kept
  const leaseMs = Math.max(deadline, until) - schedule.clock.now()
  const request = { name, heldBefore: 0, leaseMs: Math.max(leaseMs, 0) }
  const unknown = (): Promise<never> => Promise.reject(noAnswer(name, { asks: 'handOver' }))
  void orphans
    .begin({ ...request, owner: storedAs }, unknown())
    .then(() => orphans.begin({ ...request, owner }, unknown()))
}
