import type { StoreSession } from '../port/store.js'
import { type StoreKind, storeKinds } from '../port/store-traits.js'

/** What keeps each of them. */
const keptBy: Readonly<Record<StoreKind, keyof StoreSession>> = {
  lock: 'lock',
  fencedLock: 'fencedLock',
  fairLock: 'fairLock',
  spinLock: 'spinLock',
  readWriteLock: 'readWriteLock',
  semaphore: 'semaphore',
  permitExpirableSemaphore: 'permitExpirableSemaphore',
  countDownLatch: 'countDownLatch',
  computeOnce: 'values',
  guardedValue: 'guardedValues',
}

/** What a session keeps. */
export function keptIn(session: StoreSession): readonly StoreKind[] {
  return storeKinds.filter((kind) => session[keptBy[kind]] !== undefined)
}
