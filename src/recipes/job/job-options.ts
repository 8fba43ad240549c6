import { checkObject, neededWhole } from '../../base/checks/checks.js'
import { LEAST_LEASE_MS } from '../../port/lease.js'

/** How long a job's lock is held. Times are whole milliseconds, on the store's clock. */
export interface JobOptions {
  /**
   * The job's lock stays held for at least this long from the start of the run, even if the run ends sooner: a machine that fires within
   * this time does not run. More than the clocks of the machines differ, and less than the time between two firings. Minimum: 0.
   */
  readonly atLeastMs: number
  /**
   * The lock is free at the latest this long after the start of the run, whatever becomes of the process. More than a run ever takes: a run
   * that takes longer loses the lock (`hold.signal`), unless it asks for more time (`hold.extend`). Minimum: 10, and `atLeastMs`.
   */
  readonly atMostMs: number
}

export function checkJobOptions(given: JobOptions): JobOptions {
  const options = checkObject(
    'options',
    given,
    ['atLeastMs', 'atMostMs'],
    'job(name, { atLeastMs: …, atMostMs: … }, run)',
  )
  const atLeastMs = neededWhole('atLeastMs', options.atLeastMs, 0)
  const atMostMs = neededWhole('atMostMs', options.atMostMs, Math.max(LEAST_LEASE_MS, atLeastMs))
  return { atLeastMs, atMostMs }
}
