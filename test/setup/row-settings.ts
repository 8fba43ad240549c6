import type { Clock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { StoreSettings } from '../../src/port/store.js'

/** What a client of a store in memory asks for, where only that matters. Nothing may go wrong there. */
export function rowSettings(
  clock: Clock,
  {
    clientId = String(crypto.randomUUID()),
    firstLeaseMs = 5_000,
    onError = (error: unknown): void => {
      throw error
    },
  } = {},
): StoreSettings {
  return {
    schedule: new Schedule(clock, onError),
    clientId,
    // A third of it is the lease of a first grant.
    watchdogLeaseMs: firstLeaseMs * 3,
    quarantineMs: 0,
    commandTimeoutMs: 5_000,
    onError,
  }
}
