import type { Schedule } from './schedule.js'

/** Resolves when that time has passed; never, if the schedule is cleared before. */
export function pause(schedule: Schedule, pauseMs: number): Promise<void> {
  return new Promise((resolve) => schedule.at(schedule.clock.now() + pauseMs, resolve))
}
