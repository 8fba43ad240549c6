import type { Owner } from '../base/identity/owner.js'
import type { LockPort } from './lock-port.js'

/** What kinds of locks can do beyond `LockPort`. */

/** A lock with a new token for every tenure. */
export interface FencedPort extends LockPort {
  /** Reads the tenure by which the core judges a sequencer. */
  readTenure(name: string, owner: Owner): Promise<TenureState>
}

export interface TenureState {
  /** Whether that owner holds the lock. */
  readonly held: boolean
  /** The last token; `undefined` before the first one, or if the counter is gone. */
  readonly lastFence: bigint | undefined
}

/** A read-write lock: many readers or one writer, under one name. */
export interface ReadWritePorts {
  readonly read: FencedPort
  readonly write: FencedPort
}

/**
 * Permits: a request takes several at once, or none. Each acquisition has its own owner. Each change of a number has its own name,
 * `request`: sent twice under one name it counts once (rule X1).
 */
export interface PermitsPort extends LockPort {
  /**
   * Sets the number of permits if none is set; returns whether it did.
   * @param ttlMs the time after which the semaphore expires with all permits taken from it; absent: never
   */
  trySetPermits(name: string, permits: number, request: string, ttlMs?: number): Promise<boolean>
  /** Changes the number of permits by `delta`, which may be negative, and wakes the waiters that may now enter. */
  addPermits(name: string, delta: number, request: string): Promise<void>
  availablePermits(name: string): Promise<number>
}

/** Permits without a name: any owner may give one back. */
export interface SemaphorePort extends PermitsPort {
  /** As `addPermits`, but only if a number was ever set; returns whether one was. */
  addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean>
  /** Takes all available permits permanently; returns how many those were. */
  drainPermits(name: string, request: string): Promise<number>
}

/** Permits that have an id and a lease each. Ids are of 16 bytes, here in hex. */
export interface PermitExpirableSemaphorePort extends PermitsPort {
  /** The number of taken permits. */
  acquiredPermits(name: string): Promise<number>
  /** How many there are, taken ones included. */
  permits(name: string): Promise<number>
  /** Sets how many there are, taken ones included. */
  setPermits(name: string, permits: number, request: string): Promise<void>
  /** Gives them back, all or none; returns whether it did. */
  releasePermits(name: string, permitIds: readonly string[], request: string): Promise<boolean>
  /** Sets the rest of the permit's lease; returns whether somebody has the permit. */
  updateLeaseTime(name: string, permitId: string, leaseMs: number, request: string): Promise<boolean>
  /** The rest of the permit's lease: Infinity if it never ends, 0 if nobody has the permit. */
  leaseTime(name: string, permitId: string): Promise<number>
}

/** Opens when its count reaches zero. It grants an acquire while it is open, and there is nothing to release. */
export interface CountDownLatchPort extends LockPort {
  /** Sets the count if none is set; returns whether it did. `request` as in `PermitsPort`. */
  trySetCount(name: string, count: number, request: string): Promise<boolean>
  /** Counts down; returns the rest. */
  countDown(name: string, request: string): Promise<number>
  count(name: string): Promise<number>
  /** Removes it, which opens it. Returns whether it existed. */
  delete(name: string, request: string): Promise<boolean>
}

/** Values computed under a lock, each stored beside the lock of its name. */
export interface ValuesPort {
  read(name: string): Promise<KeptValue | undefined>
  /** Stores a value if `owner` still holds its lock; returns whether it did. The caller may repeat the request. */
  keep(request: KeepRequest): Promise<boolean>
}

export interface KeptValue {
  readonly text: string
  /** How much longer the store keeps it; Infinity: for ever. */
  readonly remainingMs: number
}

export interface KeepRequest {
  /** The lock's name. */
  readonly name: string
  readonly owner: Owner
  readonly text: string
  readonly keepMs: number
}

/** Stores guarded values. */
export interface GuardedPort {
  readGuarded(key: string): Promise<Guarded | undefined>
  /** Writes `value`, or removes it if `undefined`. If the store has seen a greater token, returns that token and changes nothing. */
  writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined>
}

/** A value and the fencing token of the write. */
export interface Guarded {
  readonly value: string
  readonly fence: bigint
}
