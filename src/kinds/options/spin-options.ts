import { checkObject, invalidNumber, whole } from '../../base/checks/checks.js'
import { BackOff } from '../../base/time/back-off.js'
import type { Polls } from '../../port/lock-port.js'

/** How a spin lock polls while it waits. Times are whole milliseconds. */
export interface SpinOptions {
  /**
   * The pause after the first failed attempt. Minimum: 1.
   * @default 1
   */
  readonly firstPauseMs?: number
  /**
   * The longest pause. Minimum: `firstPauseMs`.
   * @default 128
   */
  readonly longestPauseMs?: number
  /**
   * The ratio of each pause to the one before. 1: all pauses are equal. Minimum: 1.
   * @default 2
   */
  readonly factor?: number
}

export function checkSpinOptions(given: SpinOptions): Polls {
  const options = checkObject('options', given, ['firstPauseMs', 'longestPauseMs', 'factor'])
  const firstPauseMs = whole('firstPauseMs', options.firstPauseMs, 1) ?? 1
  const longestPauseMs =
    whole('longestPauseMs', options.longestPauseMs, firstPauseMs) ?? Math.max(128, firstPauseMs)
  const { factor = 2 } = options
  if (typeof factor !== 'number' || !Number.isFinite(factor) || factor < 1)
    throw invalidNumber('factor', factor, 'a number, at least 1')
  return new BackOff({ firstPauseMs, longestPauseMs, factor })
}
