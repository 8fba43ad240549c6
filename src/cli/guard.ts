import { LockLostError } from '../errors.js'
import type { Hold } from '../hold.js'
import type { Holdfast } from '../holdfast.js'

/** Why the command must end: the lock is lost, or will be before the command could be ended in peace. */
export type StopReason = 'lost' | 'lease-ending'

/** Of a lease that is too short for the whole grace period this part is for the grace period, and as much again for the margin. */
const PART_OF_SHORT_LEASE = 1 / 5

/** The longest delay a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Watches over the hold while the command runs, and says once when the command must end and how long that may take: never
 * longer than the lease would last, so that the work is over when somebody else may begin.
 */
export class Guard implements Disposable {
  /** Set as soon as the command was told to end. */
  reason: StopReason | undefined
  readonly #signal: AbortSignal
  /** When the lease ends by the last news of it. After a loss the hold itself says 0. */
  #leaseEnd = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #graceMs: number
  #marginMs: number

  constructor(
    private readonly holdfast: Holdfast,
    private readonly hold: Hold,
    graceMs: number,
    /** How long before the end of the lease the grace period must be over: killing takes a moment, too. */
    marginMs: number,
    private readonly stop: (reason: StopReason, graceMs: number) => void,
  ) {
    this.#signal = hold.signal
    this.#signal.addEventListener('abort', this.#lost, { once: true })
    // A lock that was granted in line has only a place's short lease until its first renewal, which is under way.
    const isShort = hold.remainingMs() <= graceMs + marginMs
    const mostMs = isShort ? hold.remainingMs() * PART_OF_SHORT_LEASE : Number.POSITIVE_INFINITY
    this.#graceMs = Math.min(graceMs, mostMs)
    this.#marginMs = Math.min(marginMs, mostMs)
    this.#renewed = () => {
      this.#graceMs = graceMs
      this.#marginMs = marginMs
      this.#look()
    }
    holdfast.on('renewed', this.#renewed)
    this.#look()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.holdfast.off('renewed', this.#renewed)
    this.#signal.removeEventListener('abort', this.#lost)
  }

  readonly #renewed: () => void
  readonly #lost = (): void => {
    const loss: unknown = this.#signal.reason
    // By which clock it has ended, the hold knows better: a machine that was suspended has stood still by this one.
    if (loss instanceof LockLostError && loss.reason === 'lease-expired') this.#leaseEnd = performance.now()
    this.#end('lost')
  }

  /** Looks at the time left, and again when it is down to the grace period. */
  readonly #look = (): void => {
    clearTimeout(this.#timer)
    if (this.#signal.aborted) {
      this.#lost()
      return
    }
    const remainingMs = this.hold.remainingMs()
    this.#leaseEnd = performance.now() + remainingMs
    const quietMs = remainingMs - this.#graceMs - this.#marginMs
    if (quietMs <= 0) this.#end('lease-ending')
    else this.#timer = setTimeout(this.#look, Math.min(Math.ceil(quietMs), LONGEST_TIMER_MS))
  }

  #end(reason: StopReason): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this[Symbol.dispose]()
    this.stop(
      reason,
      Math.min(Math.max(this.#leaseEnd - this.#marginMs - performance.now(), 0), this.#graceMs),
    )
  }
}
