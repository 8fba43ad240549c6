import type { Locker } from '../core/locker.js'
import type { HoldRecord, Lasting } from '../core/tenure/tenure.js'
import { quoted } from '../errors/holdfast-error.js'
import { ownerText } from '../identity/label.js'

/** What is left to tell of a hold when the hold itself is gone. Must not lead to it. */
interface Dropped {
  readonly grant: HoldRecord
  readonly locker: Locker
}

const holds = new FinalizationRegistry<Dropped>(warn)

/**
 * Whatever is registered outlives the collector's quick rounds, with all that it leads to: for each hold that would cost more than the rest
 * of an acquisition. So only one is registered whose lease has been renewed; until then its record leads to it.
 */
class Registration implements Lasting {
  constructor(
    private readonly hold: object,
    private readonly grant: HoldRecord,
    private readonly locker: Locker,
  ) {}

  lasts(): void {
    const { grant, locker } = this
    holds.register(this.hold, { grant, locker })
  }
}

/** Emits a `warning` if the garbage collector finds that the hold was dropped without a release, once its lease has been renewed. */
export function warnIfDropped<Held extends object>(hold: Held, members: readonly Dropped[]): Held {
  for (const { grant, locker } of members) {
    // A lease of its own ends by itself.
    if (grant.renewUntil !== undefined) grant.lasting = new Registration(hold, grant, locker)
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
      `A hold of lock ${quoted(name)} by ${ownerText(owner)} was dropped without a release, and nothing can release it now. Holdfast renews its ` +
      'lease until this process ends, the client is closed or maxHoldMs is over. Call release() in a finally block, or use ' +
      '`await using` or withLock().',
    waitedMs: 0,
    waiterStack: undefined,
    holderStack: tenure.takenAt,
  })
}
