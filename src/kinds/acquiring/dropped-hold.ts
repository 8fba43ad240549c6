import { quoted } from '../../base/errors/holdfast-error.js'
import { ownerText } from '../../base/identity/label.js'
import type { Member } from './grant.js'

/** The holds that last: each is reported if it is dropped. What is left to tell of one then must not lead to the hold itself. */
export const lastingHolds = new FinalizationRegistry<Member>(warn)

/**
 * Emits a `warning` if the garbage collector finds that the hold was dropped without a release, once its lease has been renewed. Not before:
 * whatever is registered outlives the collector's quick rounds, with all that it leads to, and for each hold that would cost more than the
 * rest of an acquisition. So until then the record leads to it.
 */
export function warnIfDropped<Held extends object>(hold: Held, members: readonly Member[]): Held {
  // A hold with an explicit lease ends by itself.
  for (const { grant } of members) if (grant.renewUntil !== undefined) grant.callersHold = hold
  return hold
}

function warn({ grant, locker }: Member): void {
  const { tenure, released, endedBy, renewUntil = -Infinity } = grant
  const renewed = renewUntil > locker.schedule.clock.now()
  if (released || endedBy || !renewed || locker.closed || !locker.stillHeld(grant)) return
  const { name, owner } = tenure
  locker.events.emit('warning', {
    code: 'DROPPED_HOLD',
    name,
    owner,
    holder: owner,
    message:
      `A hold of lock ${quoted(name)} by ${ownerText(owner)} was dropped without a release, and nothing can release it now. Holdfast renews its ` +
      'lease until this process ends, the client is closed or maxHoldMs is over. Call release() in a finally block, or use ' +
      '`await using` or withLock().',
    waitedMs: 0,
    waiterStack: undefined,
    holderStack: tenure.takenAt,
  })
}
