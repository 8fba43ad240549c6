import { checkObject } from '../../base/checks/checks.js'
import type { Owner, Scope } from '../../base/identity/owner.js'
import type { Call, Refusal } from '../../core/acquire/call.js'
import type { HoldRecord } from '../../core/tenure/tenure.js'
import { Hold } from '../hold.js'
import type { AdoptOptions } from '../options/options.js'
import { Acquirer } from './acquirer.js'
import type { Members } from './grant.js'

/** The way in to one lock, permit or latch. */
export class LockAcquirer extends Acquirer<HoldRecord, Hold> {
  /** A hold that another client has given up, if `from` still has it. Asks again after a lost answer, or nobody would have the hold. */
  async adopt(from: Owner, given: AdoptOptions): Promise<Hold | null> {
    const options = checkObject('options', given, ['leaseMs', 'maxHoldMs', 'owner'])
    const { port } = this.context.locker
    const sends: Call['sends'] = (request) => port.handOver({ ...request, from })
    return await this.tryAcquire(options, undefined, undefined, { sends, insists: true })
  }

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
