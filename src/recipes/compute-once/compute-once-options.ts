import { checkObject, checkSignal, neededWhole, whole, wholeOrInfinite } from '../../base/checks/checks.js'
import { LEAST_LEASE_MS } from '../../port/lease.js'

/** Options of `computeOnce`. Times are whole milliseconds. */
export interface ComputeOnceOptions {
  /** How long a value stays fresh after it was computed. Minimum: 1. */
  readonly ttlMs: number
  /**
   * How long after `ttlMs` a call still gets the stale value at once, while one process computes a fresh one in the background.
   * Minimum: 0.
   * @default 0
   */
  readonly staleMs?: number
  /**
   * How long to wait for a value that another caller computes. It does not cut this caller's own computation short. Minimum: 0.
   * @default Infinity
   */
  readonly waitMs?: number
  /**
   * The lease of the lock during the computation. If the computation takes longer, its caller gets the value, but Holdfast does not store
   * it, and another caller may compute meanwhile. Without it the watchdog renews the lock until the computation ends. Minimum: 10.
   */
  readonly leaseMs?: number
  /** Cancels the wait: the call rejects with the signal's reason. It does not stop a computation that has begun. */
  readonly signal?: AbortSignal
}

export function checkComputeOnceOptions(given: ComputeOnceOptions): ComputeOnceOptions {
  const options = checkObject(
    'options',
    given,
    ['ttlMs', 'staleMs', 'waitMs', 'leaseMs', 'signal'],
    'computeOnce(key, compute, { ttlMs: … })',
  )
  neededWhole('ttlMs', options.ttlMs, 1)
  whole('staleMs', options.staleMs, 0)
  wholeOrInfinite('waitMs', options.waitMs, 0)
  whole('leaseMs', options.leaseMs, LEAST_LEASE_MS)
  checkSignal(options.signal)
  return options
}
