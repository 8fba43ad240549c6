import { LockLostError, type LossReason } from '../errors.js'
import type { Scope } from '../owner.js'
import type { Holding, Tenure } from './tenure.js'

/** What an acquire gives its caller: one hold of a tenure, to be given back once. */
export class Grant implements Holding {
  /** Given back, or about to be. */
  released = false
  /** Set once the lock was lost under this hold. */
  loss: LockLostError | undefined
  /** Called when the holder must stop relying on the lock. */
  onEnd: ((reason: Error) => void) | undefined
  /** What it was called with, or would have been. */
  endedBy: Error | undefined
  /** Whether it came from another call of this process, and not from a release that the store announced. */
  handedOver = false

  constructor(
    readonly tenure: Tenure,
    readonly scope: Scope,
    public renewUntil: number | undefined,
    readonly fence: bigint | undefined,
  ) {}

  lost(reason: LossReason, cause: unknown): void {
    this.loss = new LockLostError(this.tenure.name, this.tenure.owner, reason, cause)
    this.unattended(this.loss)
  }

  unattended(error: Error): void {
    this.endedBy = error
    this.onEnd?.(error)
  }
}
