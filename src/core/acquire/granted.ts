import type { Environment } from '../environment.js'
import type { HoldRecord } from '../tenure/tenure.js'
import type { Call } from './call.js'

/**
 * The call has the lock, by an answer of the store or by hand-over: it is counted and told of.
 * @param now the lease clock; so is `startedAt`, when the call began
 * @param calledAt where it was made, when diagnostics are on
 */
export function granted(
  env: Environment,
  call: Call,
  grant: HoldRecord,
  now: number,
  startedAt: number,
  calledAt: string | undefined,
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
