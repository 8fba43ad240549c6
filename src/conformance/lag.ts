import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const WINDOW_MS = 5_000
/** A lease is this many times as long as the process is late: it takes three renewals, and each of them several turns of the loop. */
const TIMES = 30
const MOST = 8

/** How late this process is lately, measured: other programs on the machine make short leases end that no case meant to end. */
export class Lag {
  #histogram: IntervalHistogram | undefined
  #windowFrom = 0
  #beforeMs = 0

  /** How many times as long a lease of that length has to be. 1 on a machine that is not busy. */
  stretch(ms: number): number {
    return Math.min(MOST, Math.max(1, (TIMES * this.#lateMs()) / ms))
  }

  #lateMs(): number {
    const now = performance.now()
    this.#histogram ??= started()
    const lateMs = Math.max(0, this.#histogram.percentile(99) / 1e6 - RESOLUTION_MS)
    const worstMs = Math.max(lateMs, this.#beforeMs)
    if (now - this.#windowFrom > WINDOW_MS) {
      this.#windowFrom = now
      this.#beforeMs = lateMs
      this.#histogram.reset()
    }
    return worstMs
  }
}

function started(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}
