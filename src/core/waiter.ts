import type { Scope } from '../owner.js'
import type { Schedule } from './schedule.js'
import { WakeUpSemaphore } from './semaphore.js'

/** Told apart by identity: the time a waiter had for something is over. */
export const TIME_IS_UP: unique symbol = Symbol('time is up')

/**
 * One call that wants the lock. It does one thing at a time, and whatever that is ends at once when the call is cancelled
 * (abort, close), and in time when its deadline passes (rule W5).
 */
export class Waiter {
  readonly wakeUp = new WakeUpSemaphore()
  /** The attempt under way; never rejects. */
  attempting: Promise<unknown> | undefined
  #cancellation: { readonly reason: unknown } | undefined
  #interrupt: ((reason: unknown) => void) | undefined

  constructor(
    readonly caller: Scope,
    readonly schedule: Schedule,
  ) {}

  /** Ends the call: what it waits for now, or would wait for next, rejects with `reason`. */
  cancel(reason: unknown): void {
    if (this.#cancellation) return
    this.#cancellation = { reason }
    this.#interrupt?.(reason)
  }

  get cancelled(): boolean {
    return this.#cancellation !== undefined
  }

  throwIfCancelled(): void {
    if (this.#cancellation) throw this.#cancellation.reason
  }

  /** Sleeps until the next permit, and at most until `wakeAt`. */
  async sleep(wakeAt: number): Promise<void> {
    try {
      await this.upTo(wakeAt, this.wakeUp.acquire())
    } finally {
      this.wakeUp.leave()
    }
  }

  /** The outcome of `work`, or {@link TIME_IS_UP}; the work itself goes on. Rejects when the call is cancelled. */
  upTo<Result>(deadline: number, work: Promise<Result>): Promise<Result | typeof TIME_IS_UP> {
    this.throwIfCancelled()
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void): void => {
        if (this.#interrupt !== interrupt) return
        this.#interrupt = undefined
        this.schedule.cancel(alarm)
        conclude()
      }
      const interrupt = (reason: unknown): void => settle(() => reject(reason))
      this.#interrupt = interrupt
      const alarm =
        deadline === Number.POSITIVE_INFINITY
          ? undefined
          : this.schedule.at(deadline, () => settle(() => resolve(TIME_IS_UP)))
      work.then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }
}
