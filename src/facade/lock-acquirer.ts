import type { Call, Refusal } from '../core/acquire/call.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import type { Scope } from '../identity/owner.js'
import { Hold } from '../kinds/hold.js'
import { Acquirer, type Members } from './acquirer.js'

/** The way in to one lock, permit or latch. */
export class LockAcquirer extends Acquirer<HoldRecord, Hold> {
  protected take(call: Call): Promise<HoldRecord | Refusal> {
    return this.context.locker.acquire(call)
  }

  protected membersOf(grant: HoldRecord): Members {
    return [{ grant, locker: this.context.locker }]
  }

  protected holdOf(grant: HoldRecord, _holder: Scope, ownScope: Scope | undefined): Hold {
    const { locker, owners } = this.context
    return new Hold(grant, locker, owners, ownScope)
  }
}
