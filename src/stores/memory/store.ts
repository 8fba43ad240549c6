import { type Clock, SystemClock } from '../../base/time/clock.js'
import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import { RowStoreSession } from '../rows/session.js'
import { MemoryRows } from './memory-rows.js'

/**
 * Locks in this process: for tests, and for programs that are one process. The same rules as in Redis, no server. Several
 * `Holdfast` instances on one store are to each other as processes on one server are.
 */
export class MemoryStore implements Store {
  readonly #rows: MemoryRows

  /** @param clock the clock of leases; a `VirtualClock` lets a test decide when time passes. */
  constructor(readonly clock: Clock = new SystemClock()) {
    this.#rows = new MemoryRows(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this.#rows, settings)
  }
}
