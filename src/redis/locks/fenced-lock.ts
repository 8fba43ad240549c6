import type { Owner } from '../../identity/owner.js'
import type { FencedPort, TenureState } from '../../ports/fenced-port.js'
import { LineLockPort } from '../line/line-lock.js'

/**
 * The fenced lock as Redisson's `RFencedLock` keeps it: the reentrant lock's hash, so that the two exclude each other, and a
 * counter beside it.
 */
export class FencedLockPort extends LineLockPort implements FencedPort {
  readTenure(name: string, owner: Owner): Promise<TenureState> {
    return this.commands.tenure(name, owner)
  }
}
