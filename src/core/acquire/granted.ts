import type { Environment } from '../environment.js'
import type { Waiter } from '../queue/waiter.js'
import type { HoldRecord } from '../tenure/tenure.js'

/** The call has the lock, by an answer of the store or by hand-over: it is counted and told of. */
export function granted(
  env: Environment,
  { call, startedAt, calledAt }: Pick<Waiter, 'call' | 'startedAt' | 'calledAt'>,
  grant: HoldRecord,
  now: number,
): HoldRecord {
  const { tenure } = grant
  tenure.takenAt ??= calledAt
  grant.grantedAt = now
  grant.waitedMs = now - startedAt
  grant.holdCount = tenure.holds.length
  grant.lingerMs = call.lingerMs ?? 0
  env.metrics.granted(grant.waitedMs)
  env.kin?.granted(grant)
  if (env.events.hears('acquired')) {
    const { holdCount, waitedMs } = grant
    env.events.emit('acquired', { name: call.name, owner: tenure.owner, holdCount, waitedMs })
  }
  return grant
}
