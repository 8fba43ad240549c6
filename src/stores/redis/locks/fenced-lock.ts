import type { Owner } from '../../../base/identity/owner.js'
import type { FencedPort, TenureState } from '../../../port/kind-ports.js'
import { tenureReply } from '../scripts/replies.js'
import { runScript } from '../scripts/script.js'
import { fencedTenure } from '../scripts/scripts.generated.js'
import { LineLockPort } from './line-lock.js'

/**
 * The fenced lock as Redisson's `RFencedLock` keeps it: the reentrant lock's hash, so that the two exclude each other, and a
 * counter beside it.
 */
export class FencedLockPort extends LineLockPort implements FencedPort {
  readTenure(name: string, owner: Owner): Promise<TenureState> {
    const keys = [this.commands.keyOf(name), this.commands.counterOf(name)] as const
    return runScript(this.parts.link, fencedTenure, keys, name, [owner], tenureReply)
  }
}
