import { StoreError } from '../../errors/errors.js'

/** The first pause after a command failed, doubled with each further failure up to the longest. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/** How long to pause before the next try, after `failures` in a row; spread so that clients do not come back in step. */
export function pauseMs(failures: number, random: number = Math.random()): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(failures - 1, 0), LONGEST_PAUSE_MS)
  return pause / 2 + (pause / 2) * random
}

/** What a call reports whose command was not answered in time. */
export function noAnswer(lockName: string): StoreError {
  return new StoreError('timeout', 'acquire', {
    lockName,
    transient: true,
    hint: 'The store did not answer.',
  })
}

/** Whether the same request may succeed when it is sent again. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}

/** A run of failures of the store, as one caller meets it, or all for one lock: how long it lasts, and when to try again. */
export class Outage {
  #failures = 0
  #since = 0
  #cause: unknown

  /** Whether the last command failed. */
  get on(): boolean {
    return this.#failures > 0
  }

  /** What the last failure was; undefined when there was none since the last answer. */
  get cause(): unknown {
    return this.#cause
  }

  failed(cause: unknown, now: number): void {
    if (this.#failures === 0) this.#since = now
    this.#failures += 1
    this.#cause = cause
  }

  answered(): void {
    this.#failures = 0
    this.#cause = undefined
  }

  /** @param from when the caller began, whose own time counts from then */
  lastedMs(now: number, from = Number.NEGATIVE_INFINITY): number {
    return this.on ? now - Math.max(this.#since, from) : 0
  }

  /** When to try again. */
  retryAt(now: number): number {
    return now + pauseMs(this.#failures)
  }
}
