import type { LockPort } from './store.js'

/** What kinds of locks can do beside what every lock can; see {@link LockPort}. */

/** A read-write lock: many readers or one writer, of one name. */
export interface ReadWritePorts {
  readonly read: LockPort
  readonly write: LockPort
}

/** Permits of which a request takes several at once, or none. Each acquisition is an owner of its own. */
export interface SemaphorePort extends LockPort {
  /** Sets the number of permits where none was set yet; tells whether it did. */
  trySetPermits(name: string, permits: number): Promise<boolean>
  /** Changes the number of permits by `delta`, which may be negative, and wakes who may now enter. */
  addPermits(name: string, delta: number): Promise<void>
  /** Takes all that are available, for good; tells how many that were. */
  drainPermits(name: string): Promise<number>
  availablePermits(name: string): Promise<number>
}

/** Opens when it has been counted down to zero. An acquire is granted when it is open, and there is nothing to release. */
export interface CountDownLatchPort extends LockPort {
  /** Sets the count where none is set; tells whether it did. */
  trySetCount(name: string, count: number): Promise<boolean>
  /** @param request names this request, so that one that is sent twice counts once. Returns what is left. */
  countDown(name: string, request: string): Promise<number>
  count(name: string): Promise<number>
  /** Removes it, which opens it. Tells whether it was there. */
  delete(name: string): Promise<boolean>
}

/** Values beside locks: results that are computed once, and values that carry the fence they were written under. */
export interface ValuesPort {
  read(key: string): Promise<string | undefined>
}
