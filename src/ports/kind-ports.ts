import type { Owner } from '../identity/owner.js'
import type { FencedPort } from './fenced-port.js'
import type { LockPort } from './lock-port.js'

/** What kinds of locks can do beside what every lock can; see {@link LockPort}. */

/** A read-write lock: many readers or one writer, of one name. */
export interface ReadWritePorts {
  readonly read: FencedPort
  readonly write: FencedPort
}

/**
 * Permits of which a request takes several at once, or none. Each acquisition is for an owner of its own. What changes a number
 * is given a name of its own, `request`: sent twice under one name it counts once (rule X1).
 */
export interface PermitsPort extends LockPort {
  /**
   * Sets the number of permits where none was set yet; tells whether it did.
   * @param ttlMs after how long the semaphore is gone, with all that was taken from it; for ever where absent
   */
  trySetPermits(name: string, permits: number, request: string, ttlMs?: number): Promise<boolean>
  /** Changes the number of permits by `delta`, which may be negative, and wakes who may now enter. */
  addPermits(name: string, delta: number, request: string): Promise<void>
  availablePermits(name: string): Promise<number>
}

/** Permits without a name: whoever gives one back need not be who took it. */
export interface SemaphorePort extends PermitsPort {
  /** As {@link addPermits}, but not where no number was ever set; tells whether one was. */
  addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean>
  /** Takes all that are available, for good; tells how many that were. */
  drainPermits(name: string, request: string): Promise<number>
}

/** Permits that have an id and a lease each. Ids are of 16 bytes, here in hex. */
export interface PermitExpirableSemaphorePort extends PermitsPort {
  /** How many are taken by anybody. */
  acquiredPermits(name: string): Promise<number>
  /** How many there are, those that are taken included. */
  permits(name: string): Promise<number>
  /** Sets how many there are, those that are taken included. */
  setPermits(name: string, permits: number): Promise<void>
  /** Gives them back, all or none; tells whether it did. */
  releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean>
  /** Sets how long the permit is taken yet; tells whether it was. */
  updateLeaseTime(name: string, permitId: string, leaseMs: number): Promise<boolean>
  /** How long the permit is taken yet: Infinity where that never ends, 0 where it is not taken. */
  leaseTime(name: string, permitId: string): Promise<number>
}

/** Opens when it has been counted down to zero. An acquire is granted when it is open, and there is nothing to release. */
export interface CountDownLatchPort extends LockPort {
  /** Sets the count where none is set; tells whether it did. `request` as in {@link PermitsPort}. */
  trySetCount(name: string, count: number, request: string): Promise<boolean>
  /** Returns what is left. */
  countDown(name: string, request: string): Promise<number>
  count(name: string): Promise<number>
  /** Removes it, which opens it. Tells whether it was there. */
  delete(name: string, request: string): Promise<boolean>
}

/** Values that were computed under a lock, each kept beside the lock of its name. */
export interface ValuesPort {
  read(name: string): Promise<KeptValue | undefined>
  /** Keeps a value if its lock is still held by `owner`; tells whether it did. The same request may be sent again. */
  keep(request: KeepRequest): Promise<boolean>
}

export interface KeptValue {
  readonly text: string
  /** How long it is kept yet; Infinity where that has no end. */
  readonly remainingMs: number
}

export interface KeepRequest {
  /** The lock's name. */
  readonly name: string
  readonly owner: Owner
  readonly text: string
  readonly keepMs: number
}
