import type { ReadWriteLock } from '../../src/index.js'

/** Both locks of a read-write lock. */
export function sidesOf(lock: ReadWriteLock) {
  return { read: lock.readLock(), write: lock.writeLock() }
}
