import { retryPauseMs } from '../../base/time/back-off.js'
import type { Clock } from '../../base/time/clock.js'
import { isTransient } from '../../port/failure.js'

/** So much later a call gives up a command that should have failed by itself: what that fails with says more. */
export const OWN_FAILURE_MS = 20

/** However short the wait, the store gets this long for its first answer: else a lock that is free could be refused. */
export const LEAST_ANSWER_MS = 100

/** Tries that are farther apart (four of the longest pauses between two) are no run: nobody knows what the store did meanwhile. */
const LONGEST_GAP_MS = 2_000

/**
 * A run of failures of the store, as one caller meets it, or all for one lock: how long it lasts, and when to try again. It is there from the
 * first failure to the next answer.
 */
export class Outage {
  #failures = 0
  #since = 0
  #failedAt = -Infinity
  /** What the last failure was. */
  cause: unknown

  /** @param before since when the store had failed already, if it had */
  constructor(private readonly before = Infinity) {}

  /** @param sentAt when the client sent the command that failed `now`: a silent store counts as out from then on */
  failed(cause: unknown, sentAt: number, now: number): void {
    if (this.#failures === 0) this.#since = Math.min(sentAt, this.before)
    else if (sentAt - this.#failedAt > LONGEST_GAP_MS) this.#since = sentAt
    this.#failures += 1
    this.#failedAt = now
    this.cause = cause
  }

  /** Since when it fails; undefined where nobody knows. */
  get since(): number | undefined {
    return this.#failedAt > -Infinity ? this.#since : undefined
  }

  /**
   * How long it had lasted when it was last met. Zero if nobody has asked for a while: then it may be over.
   * @param from when the caller began, whose own time counts from then
   */
  lastedMs(now: number, from = -Infinity): number {
    if (now - this.#failedAt > LONGEST_GAP_MS) return 0
    return this.#failedAt - Math.max(this.#since, from)
  }

  /** What is known is of another time: the next failure begins a new run. */
  forget(): void {
    this.#failedAt = -Infinity
  }

  /** When to try again: when it has lasted for `patienceMs` at the latest, unless it has lasted longer. */
  retryAt(now: number, patienceMs = Infinity): number {
    const left = this.#since + patienceMs - now
    const pauseMs = retryPauseMs(this.#failures)
    return now + (left > 0 ? Math.min(pauseMs, left) : pauseMs)
  }
}

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
