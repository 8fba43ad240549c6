import type { Owner } from '../base/identity/owner.js'
import type { LockPort } from './lock-port.js'

/** A lock with a new token for every tenure. */
export interface FencedPort extends LockPort {
  /** Reads the tenure by which the core judges a sequencer. */
  readTenure(name: string, owner: Owner): Promise<TenureState>
}

export interface TenureState {
  /** Whether that owner holds the lock. */
  readonly held: boolean
  /** The last token; `undefined` before the first one, or if the counter is gone. */
  readonly lastFence: bigint | undefined
}
