import { LockLostError, StoreError } from '../../base/errors/errors.js'
import type { Hold } from '../hold.js'

/** Gives several holds back; one that fails keeps none of the others. Undefined when that is done: all were handed over in memory. */
export function releaseAll(holds: readonly Hold[]): Promise<void> | undefined {
  const releasing = holds.map((hold) => hold.giveBack()).filter((each) => each !== undefined)
  return releasing.length === 0 ? undefined : settle(holds, releasing)
}

async function settle(holds: readonly Hold[], releasing: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(releasing)
  const failures = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []))
  if (failures.length > 0) throw summaryOf(failures, holds)
}

/** Throws one failure as it is. Of several a loss counts most: a caller that looks for one must find it. */
function summaryOf(failures: readonly unknown[], holds: readonly Hold[]): unknown {
  if (failures.length === 1) return failures[0]
  const name = holds.map((hold) => hold.name).join(', ')
  const cause = new AggregateError(
    failures,
    `${failures.length} of ${holds.length} locks were not given back`,
  )
  const lost = failures.find((each) => each instanceof LockLostError)
  if (lost) return new LockLostError(name, lost.owner, lost.reason, cause)
  const failed = failures.find((each) => each instanceof StoreError)
  if (!failed) return failures[0]
  const { reason, command, transient } = failed
  return new StoreError(reason, command, { lockName: name, transient, cause })
}
