import { checkObject, checkSignal, wholeOrInfinite } from '../base/checks/checks.js'

/** Options of a lock of a transaction. Times are whole milliseconds. */
export interface TransactionLockOptions {
  /**
   * How long to wait at most. 0 does not wait; `Infinity` sets no limit. MySQL counts in whole seconds: it waits up to the next one,
   * and at least one. Minimum: 0.
   * @default what the server has set for this connection: `lock_timeout`, `innodb_lock_wait_timeout`
   */
  readonly waitMs?: number
  /** Cancels the wait: the call rejects with the signal's reason. It has no effect once the lock is held. */
  readonly signal?: AbortSignal
}

export function checkLimits<Options extends TransactionLockOptions>(
  given: Options,
  more: readonly string[] = [],
): Options {
  const options = checkObject('options', given, ['waitMs', 'signal', ...more])
  wholeOrInfinite('waitMs', options.waitMs, 0)
  checkSignal(options.signal)
  return options
}
