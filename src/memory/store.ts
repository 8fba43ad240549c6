import { type Clock, SystemClock } from '../core/clock.js'
import type { LockPort, Store, StoreSession } from '../store.js'
import { MemoryLocks } from './locks.js'
import { MemoryLockPort } from './port.js'

/**
 * Locks in this process: for tests, and for programs that are one process. The same rules as in Redis, no server. Several
 * `Holdfast` instances on one store are to each other as processes on one server are.
 */
export class MemoryStore implements Store {
  readonly clock: Clock
  readonly #locks: MemoryLocks

  /** @param clock what leases are measured by; a `VirtualClock` lets a test decide when time passes. */
  constructor(clock: Clock = new SystemClock()) {
    this.clock = clock
    this.#locks = new MemoryLocks(clock)
  }

  /** @internal */
  open(): StoreSession {
    return new MemorySession(this.#locks)
  }
}

class MemorySession implements StoreSession {
  readonly lock: LockPort
  readonly spinLock: LockPort
  readonly #port: MemoryLockPort

  constructor(locks: MemoryLocks) {
    this.#port = new MemoryLockPort(locks)
    this.lock = this.#port
    // Here no news costs anything; that its waiters ask again and again is the core's business.
    this.spinLock = this.#port
  }

  async close(): Promise<void> {
    this.#port.close()
  }
}
