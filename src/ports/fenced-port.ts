import type { Owner } from '../identity/owner.js'
import type { LockPort } from './lock-port.js'

/** A lock of which every tenure has a token of its own. */
export interface FencedPort extends LockPort {
  /** What tells whether a sequencer is good. */
  readTenure(name: string, owner: Owner): Promise<TenureState>
}

export interface TenureState {
  /** Whether that owner holds the lock. */
  readonly held: boolean
  /** The last token given; `undefined` when none was, or the counter is gone. */
  readonly lastFence: bigint | undefined
}
