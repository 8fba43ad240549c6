import { firstLeaseMs } from '../core/lease/first-lease.js'
import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import { type Clock, SystemClock } from '../time/clock.js'
import { MemoryComputeOnceValues } from './compute-once-values.js'
import { MemoryCountDownLatchPort } from './count-down-latch.js'
import { MemoryGuardedPort } from './guarded-value.js'
import { MemoryLatches } from './latches.js'
import { MemoryFencedLockPort, MemoryLineLockPort } from './line-lock.js'
import { MemoryLocks } from './locks.js'
import { MemoryPermitExpirableSemaphorePort } from './permit-expirable-semaphore.js'
import { type MemoryReadWritePorts, memoryReadWritePorts } from './read-write-lock.js'
import { MemoryReadWriteLocks } from './read-write-locks.js'
import { MemoryReentrantLockPort } from './reentrant-lock.js'
import { MemorySemaphorePort } from './semaphore.js'
import { MemorySemaphores } from './semaphores.js'

/** What a server would keep. */
class Kept {
  readonly locks: MemoryLocks
  readonly guardedValues = new MemoryGuardedPort()
  readonly readWriteLocks: MemoryReadWriteLocks
  readonly semaphores: MemorySemaphores
  readonly permitSets: MemorySemaphores
  readonly latches: MemoryLatches
  readonly computeOnceValues: MemoryComputeOnceValues

  constructor(clock: Clock) {
    this.locks = new MemoryLocks(clock)
    this.readWriteLocks = new MemoryReadWriteLocks(clock)
    this.semaphores = new MemorySemaphores(clock)
    this.permitSets = new MemorySemaphores(clock)
    this.latches = new MemoryLatches(clock)
    this.computeOnceValues = new MemoryComputeOnceValues(this.locks, clock)
  }
}

/**
 * Locks in this process: for tests, and for programs that are one process. The same rules as in Redis, no server. Several
 * `Holdfast` instances on one store are to each other as processes on one server are.
 */
export class MemoryStore implements Store {
  readonly clock: Clock
  readonly #kept: Kept

  /** @param clock what leases are measured by; a `VirtualClock` lets a test decide when time passes. */
  constructor(clock: Clock = new SystemClock()) {
    this.clock = clock
    this.#kept = new Kept(clock)
  }

  /** @internal */
  open(settings: StoreSettings): StoreSession {
    return new MemorySession(this.#kept, settings)
  }
}

class MemorySession implements StoreSession {
  readonly lock: MemoryLineLockPort
  readonly announcedLock: MemoryReentrantLockPort
  readonly fencedLock: MemoryFencedLockPort
  readonly fairLock: MemoryLineLockPort
  /** Here no news costs anything; that its waiters ask again and again is the core's business. */
  readonly spinLock: MemoryReentrantLockPort
  readonly readWriteLock: MemoryReadWritePorts
  readonly semaphore: MemorySemaphorePort
  readonly permitExpirableSemaphore: MemoryPermitExpirableSemaphorePort
  readonly countDownLatch: MemoryCountDownLatchPort
  readonly guardedValues: MemoryGuardedPort
  readonly values: MemoryComputeOnceValues

  constructor(kept: Kept, { clientId, watchdogLeaseMs, fenceRetentionMs }: StoreSettings) {
    const { locks } = kept
    const line = { clientId, firstLeaseMs: firstLeaseMs(watchdogLeaseMs) }
    this.lock = new MemoryLineLockPort(locks, line)
    this.announcedLock = new MemoryReentrantLockPort(locks)
    this.spinLock = this.announcedLock
    this.fencedLock = new MemoryFencedLockPort(locks, line, fenceRetentionMs)
    this.fairLock = new MemoryLineLockPort(locks, line)
    this.readWriteLock = memoryReadWritePorts(kept.readWriteLocks, line)
    this.semaphore = new MemorySemaphorePort(kept.semaphores)
    this.permitExpirableSemaphore = new MemoryPermitExpirableSemaphorePort(kept.permitSets)
    this.countDownLatch = new MemoryCountDownLatchPort(kept.latches)
    this.guardedValues = kept.guardedValues
    this.values = kept.computeOnceValues
  }

  async close(): Promise<void> {
    for (const port of [this.lock, this.announcedLock, this.fencedLock, this.fairLock]) port.close()
    this.readWriteLock.close()
    this.semaphore.close()
    this.permitExpirableSemaphore.close()
    this.countDownLatch.close()
  }
}
