import type { Environment } from '../environment.js'
import type { HoldRecord } from '../tenure/tenure.js'
import type { Call } from './call.js'

/**
 * The call has the lock, by an answer of the store or by hand-over: it is counted and told of.
 * @param startedAt when the call began, on the lease clock
 * @param calledAt where it was made, when diagnostics are on
 */
export function granted(
  env: Environment,
  call: Call,
  grant: HoldRecord,
  startedAt: number,
  calledAt: string | undefined,
): HoldRecord {
  const { tenure } = grant
  tenure.takenAt ??= calledAt
  grant.grantedAt = env.schedule.clock.now()
  grant.waitedMs = grant.grantedAt - startedAt
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
