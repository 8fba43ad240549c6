import { randomUUID } from 'node:crypto'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { StoreSettings } from '../../src/port/store.js'

/** What a client asks of its store, and what went wrong outside of its calls. */
export function clientSettings(others: Partial<StoreSettings> = {}) {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const settings: StoreSettings = {
    schedule: new Schedule(new SystemClock(), onError),
    clientId: randomUUID(),
    watchdogLeaseMs: 30_000,
    quarantineMs: 0,
    commandTimeoutMs: 10_000,
    onError,
    ...others,
  }
  return { settings, errors }
}
