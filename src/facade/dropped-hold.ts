import type { Locker } from '../core/locker.js'
import type { HoldRecord } from '../core/tenure/tenure.js'

/** What is left to tell of a hold when the hold itself is gone. Must not lead to it. */
interface Dropped {
  readonly grant: HoldRecord
  readonly locker: Locker
}

const holds = new FinalizationRegistry<Dropped>(warn)

/** Emits a `warning` if the garbage collector finds that the hold was dropped without a release. */
export function warnIfDropped<Held extends object>(hold: Held, members: readonly Dropped[]): Held {
  for (const { grant, locker } of members) {
    // A lease of its own ends by itself.
    if (grant.renewUntil !== undefined) holds.register(hold, { grant, locker })
  }
  return hold
}

function warn({ grant, locker }: Dropped): void {
  const { tenure, released, endedBy, renewUntil = -Infinity } = grant
  const renewed = renewUntil > locker.schedule.clock.now()
  if (released || endedBy || !renewed || locker.closed || !locker.stillHeld(grant)) return
  const { name, owner } = tenure
  locker.emit('warning', {
    code: 'DROPPED_HOLD',
    name,
    owner,
    holder: owner,
    message:
      `A hold of lock "${name}" by ${owner} was dropped without a release, and nothing can release it now. Holdfast renews its ` +
      'lease until this process ends, the client is closed or maxHoldMs is over. Call release() in a finally block, or use ' +
      '`await using` or withLock().',
    waitedMs: 0,
    waiterStack: undefined,
    holderStack: tenure.takenAt,
  })
}
