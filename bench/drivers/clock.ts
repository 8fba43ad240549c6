import { performance } from 'node:perf_hooks'
import process from 'node:process'

/**
 * Epoch milliseconds with the resolution of the monotonic clock. That clock (`process.hrtime`) is one for all processes of a
 * machine, so drivers that share an offset agree to well under a microsecond; `performance.timeOrigin` alone is off by tens of
 * microseconds between processes, which is as long as a hand-over.
 */
export type Clock = () => number

export function clockWith(offsetMs: number | undefined): Clock {
  const base = offsetMs === undefined ? performance.timeOrigin : offsetMs + monotonicLeadMs()
  return () => base + performance.now()
}

/** To be found once by the harness and given to all its drivers. */
export function clockOffsetMs(): number {
  return performance.timeOrigin - monotonicLeadMs()
}

/**
 * What the machine's monotonic clock is ahead of `performance.now()`. A look that is interrupted between its two readings finds
 * too little, so the most that is found is right.
 */
function monotonicLeadMs(): number {
  let best = Number.NEGATIVE_INFINITY
  for (let look = 0; look < 50; look += 1) {
    best = Math.max(best, Number(process.hrtime.bigint()) / 1e6 - performance.now())
  }
  return best
}
