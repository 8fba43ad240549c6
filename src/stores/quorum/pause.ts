import type { Schedule } from '../../base/time/schedule.js'

/** Lets time pass, but no longer than until the caller has left. */
export function pause(schedule: Schedule, ms: number, left: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      schedule.cancel(alarm)
      left?.removeEventListener('abort', end)
      resolve()
    }
    const alarm = schedule.at(schedule.clock.now() + ms, end)
    if (left?.aborted) end()
    else left?.addEventListener('abort', end)
  })
}
