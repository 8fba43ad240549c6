import type { Clock } from '../../base/time/clock.js'
import { isTransient } from '../../port/failure.js'
import { Outage } from './outage.js'

/** How a command is repeated that failed for the moment. */
export interface RetryTerms {
  readonly clock: Pick<Clock, 'now'>
  /** Waits until then; what it rejects with ends the trying. */
  readonly pause: (until: number) => Promise<void>
  /** For how long the store may fail, counted from the first failed try: the last try is sent then at the latest. By default without end. */
  readonly patienceMs?: number
  /** Asked after each failure: whether to leave it at that, rather than try at `again`. */
  readonly givesUp?: (again: number) => boolean
  /** Whether a failure is worth another try; by default one for the moment. */
  readonly worthwhile?: (error: unknown) => boolean
}

/** A try that failed. */
export interface FailedTry {
  readonly error: unknown
  readonly sentAt: number
}

/**
 * Sends a command until it is answered, refused for good or given up; then it rejects with the last failure.
 * @param failed the first try, if that was made before
 */
export async function retry<Result>(
  send: () => Promise<Result>,
  { clock, pause, patienceMs = Infinity, givesUp, worthwhile = isTransient }: RetryTerms,
  failed?: FailedTry,
): Promise<Result> {
  const outage = new Outage()
  for (let failure = failed; ; ) {
    if (failure) {
      const now = clock.now()
      outage.failed(failure.error, failure.sentAt, now)
      const again = outage.retryAt(now, patienceMs)
      if (outage.lastedMs(now) >= patienceMs || givesUp?.(again) || !worthwhile(failure.error))
        throw failure.error
      await pause(again)
    }
    const sentAt = clock.now()
    try {
      return await send()
    } catch (error) {
      failure = { error, sentAt }
    }
  }
}
