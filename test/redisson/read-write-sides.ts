import type { Holdfast, ReadWriteLock } from '../../src/index.js'
import type { Place } from '../setup/places.js'

/** Both locks of a read-write lock. */
export function sidesOf(lock: ReadWriteLock) {
  return { read: lock.readLock(), write: lock.writeLock() }
}

/** Another instance's handles of the lock. */
export function elsewhere(place: Pick<Place, 'holdfast'>, name: string): ReadWriteLock {
  const holdfast: Holdfast = place.holdfast()
  return holdfast.readWriteLock(name)
}
