import { LockLostError } from '../../base/errors/errors.js'
import type { Holdfast } from '../../holdfast.js'
import type { Hold } from '../../kinds/hold.js'

/** Why the command must end: the lock is lost, or will be lost before the command could end in time. */
export type StopReason = 'lost' | 'lease-ending'

/** If a lease is too short for the whole grace period, this part of it is the grace period, and as much again the margin. */
const PART_OF_SHORT_LEASE = 1 / 5

/** The longest delay a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Watches the hold while the command runs, and reports once when the command must end and how long that may take: never longer than
 * the lease, so that the work is over before another owner can begin.
 */
export class Guard implements Disposable {
  /** Set as soon as the command is signalled to end. */
  reason: StopReason | undefined
  readonly #signal: AbortSignal
  /** The end of the lease as last reported. After a loss the hold itself reports 0. */
  #leaseEnd = -Infinity
  #timer: NodeJS.Timeout | undefined
  #graceMs: number
  #marginMs: number

  constructor(
    private readonly holdfast: Holdfast,
    private readonly hold: Hold,
    graceMs: number,
    /** How long before the end of the lease the grace period must be over: killing takes time too. */
    marginMs: number,
    private readonly stop: (reason: StopReason, graceMs: number) => void,
  ) {
    this.#signal = hold.signal
    this.#signal.addEventListener('abort', this.#lost, { once: true })
    // Until its first renewal, which is under way, a lock granted in line has only the short lease of a place.
    const isShort = hold.remainingMs() <= graceMs + marginMs
    const mostMs = isShort ? hold.remainingMs() * PART_OF_SHORT_LEASE : Infinity
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
    // The hold knows better whether the lease has ended: this timer's clock stops while a machine is suspended.
    if (loss instanceof LockLostError && loss.reason === 'lease-expired') this.#leaseEnd = performance.now()
    this.#end('lost')
  }

  /** Checks the time left, and again when only the grace period is left. */
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
