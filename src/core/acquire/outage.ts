import { StoreError } from '../../errors/errors.js'
import { retryPauseMs } from '../../time/back-off.js'
import type { KindTraits } from '../kind.js'

/** What a call reports whose command was not answered in time. */
export function noAnswer(lockName: string, kind?: Pick<KindTraits, 'asks'>): StoreError {
  return new StoreError('timeout', kind?.asks ?? 'acquire', {
    lockName,
    transient: true,
    hint: 'The store did not answer.',
  })
}

/** Whether the same request may succeed when it is sent again. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}

/**
 * Whether it may be carried out later as it is: the store fails for the moment, or has no room. (Calls are told of the latter at once: it may
 * last.)
 */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof StoreError && error.reason === 'out-of-memory')
}

/** A run of failures of the store, as one caller meets it, or all for one lock: how long it lasts, and when to try again. */
export class Outage {
  #failures = 0
  #since = 0
  #cause: unknown

  /** @param before since when the store had failed already, if it had: that ends, too, with its first answer */
  constructor(private before = Infinity) {}

  /** Whether the last command failed. */
  get on(): boolean {
    return this.#failures > 0
  }

  /** What the last failure was; undefined when there was none since the last answer. */
  get cause(): unknown {
    return this.#cause
  }

  /** @param sentAt when the client sent the failed command: a silent store counts as out from then on */
  failed(cause: unknown, sentAt: number): void {
    if (this.#failures === 0) this.#since = Math.min(sentAt, this.before)
    this.#failures += 1
    this.#cause = cause
  }

  answered(): void {
    this.#failures = 0
    this.#cause = undefined
    this.before = Infinity
  }

  /** Since when it fails; undefined while it answers. */
  get since(): number | undefined {
    return this.on ? this.#since : undefined
  }

  /** @param from when the caller began, whose own time counts from then */
  lastedMs(now: number, from = -Infinity): number {
    return this.on ? now - Math.max(this.#since, from) : 0
  }

  /** When to try again: when it has lasted for `patienceMs` at the latest, unless it has lasted longer. */
  retryAt(now: number, patienceMs = Infinity): number {
    const left = patienceMs - this.lastedMs(now)
    const pauseMs = retryPauseMs(this.#failures)
    return now + (left > 0 ? Math.min(pauseMs, left) : pauseMs)
  }
}
