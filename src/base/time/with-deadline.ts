import { clearTimeout, setTimeout } from './machine-time.js'
import type { Schedule } from './schedule.js'

/** What the work comes to, but no longer than that: then undefined, and the work goes on. */
export function withDeadline<Result>(
  schedule: Schedule,
  timeoutMs: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const alarm = schedule.at(schedule.clock.now() + timeoutMs, () => resolve(undefined))
    work.finally(() => schedule.cancel(alarm)).then(resolve, reject)
  })
}

/** The same by the time of this machine, for work that belongs to no client. Keeps the process alive meanwhile. */
export function withinMs<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), timeoutMs)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
