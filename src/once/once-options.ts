import { checkObject, isAbortSignal, whole, wholeOrInfinite } from '../checks.js'
import { LEAST_LEASE_MS } from '../core/lease.js'
import { InvalidArgumentError } from '../errors.js'

/** Options of `once`. Times are whole milliseconds. */
export interface OnceOptions {
  /** How long a value counts after it was computed. Minimum: 1. */
  readonly ttlMs: number
  /**
   * How long beyond `ttlMs` the old value is given at once while one caller of all processes computes a new one behind it.
   * @default 0
   */
  readonly staleMs?: number
  /**
   * How long to wait for a value that another caller computes. A computation of one's own is not cut short.
   * @default Infinity
   */
  readonly waitMs?: number
  /**
   * The lease under which is computed: a value that takes longer is returned but not kept, and another caller may compute
   * meanwhile. Without it the watchdog keeps the lock as long as it takes. Minimum: 10.
   */
  readonly leaseMs?: number
  /** Cancels the wait: the call rejects with the signal's reason. It does not stop a computation. */
  readonly signal?: AbortSignal
}

export function checkOnceOptions(options: OnceOptions): OnceOptions {
  checkObject('options', options, ['ttlMs', 'staleMs', 'waitMs', 'leaseMs', 'signal'])
  if (whole('ttlMs', options.ttlMs, 1) === undefined) {
    throw new InvalidArgumentError('ttlMs', undefined, 'a whole number of milliseconds, at least 1')
  }
  whole('staleMs', options.staleMs, 0)
  wholeOrInfinite('waitMs', options.waitMs, 0)
  whole('leaseMs', options.leaseMs, LEAST_LEASE_MS)
  if (options.signal !== undefined && !isAbortSignal(options.signal)) {
    throw new InvalidArgumentError('signal', options.signal, 'an AbortSignal')
  }
  return options
}
