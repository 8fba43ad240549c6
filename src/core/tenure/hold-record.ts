import { LockLostError, type LossReason } from '../../errors/errors.js'
import type { Scope } from '../../identity/owner.js'
import type { HoldTrace } from '../../trace/hold.js'
import type { Holding, Tenure } from './tenure.js'

/** What an acquire gives its caller: one hold of a tenure, to be given back once. */
export class HoldRecord implements Holding {
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
  /** When it was granted, on the lease clock; how long its call had waited then; and the owner's holds, this one included. */
  grantedAt = 0
  waitedMs = 0
  holdCount = 0
  /** What its release came to: how many holds the owner has left, and whether the lock went to a call of this process. */
  holdsLeft = 0
  passedOn = false
  /** How long its process may keep the lock after its release, and whether it has been released so. */
  lingerMs = 0
  stayed = false
  /** Whether its end was counted. */
  counted = false
  /** What listeners of `holdfast:hold` are told of it, where there are any. */
  trace: HoldTrace | undefined

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
