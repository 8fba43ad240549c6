import type { Hold } from '../hold.js'
import type { Holdfast } from '../holdfast.js'

/** Why the command must end: the lock is lost, or will be before the command could be ended in peace. */
export type StopReason = 'lost' | 'lease-ending'

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

  constructor(
    private readonly holdfast: Holdfast,
    private readonly hold: Hold,
    private readonly graceMs: number,
    /** How long before the end of the lease the grace period must be over: killing takes a moment, too. */
    private readonly marginMs: number,
    private readonly stop: (reason: StopReason, graceMs: number) => void,
  ) {
    this.#signal = hold.signal
    this.#signal.addEventListener('abort', this.#lost, { once: true })
    holdfast.on('renewed', this.#look)
    this.#look()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.holdfast.off('renewed', this.#look)
    this.#signal.removeEventListener('abort', this.#lost)
  }

  readonly #lost = (): void => this.#end('lost')

  /** Looks at the time left, and again when it is down to the grace period. */
  readonly #look = (): void => {
    clearTimeout(this.#timer)
    if (this.#signal.aborted) {
      this.#end('lost')
      return
    }
    const remainingMs = this.hold.remainingMs()
    this.#leaseEnd = performance.now() + remainingMs
    const quietMs = remainingMs - this.graceMs - this.marginMs
    if (quietMs <= 0) this.#end('lease-ending')
    else this.#timer = setTimeout(this.#look, Math.min(Math.ceil(quietMs), LONGEST_TIMER_MS))
  }

  #end(reason: StopReason): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this[Symbol.dispose]()
    this.stop(reason, Math.min(Math.max(this.#leaseEnd - this.marginMs - performance.now(), 0), this.graceMs))
  }
}
