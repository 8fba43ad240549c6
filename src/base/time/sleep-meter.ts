import { uptime } from 'node:os'
import { machineTime } from './machine-time.js'

/** How much further the system's own count of time has come than the monotonic clock: what the machine has slept. */
export function sleepMeter(): () => number {
  const aheadMs = (): number => uptime() * 1_000 - machineTime.monotonicMs()
  let before = aheadMs()
  return () => {
    const now = aheadMs()
    const sleptMs = Math.max(now - before, 0)
    before = now
    return sleptMs
  }
}
