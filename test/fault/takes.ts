import type { AcquireOptions, Hold, Holdfast } from '../../src/index.js'

export type Take = (holdfast: Holdfast, name: string, options?: AcquireOptions) => Promise<Hold>

type LockKind = 'lock' | 'fencedLock' | 'fairLock' | 'readLock' | 'writeLock'
type PermitsKind = 'semaphore' | 'permitExpirableSemaphore'

/** How each kind is taken; of permits there are two. */
export const takes: Readonly<Record<LockKind | PermitsKind, Take>> = {
  lock: (holdfast, name, options) => holdfast.lock(name).acquire(options),
  fencedLock: (holdfast, name, options) => holdfast.fencedLock(name).acquire(options),
  fairLock: (holdfast, name, options) => holdfast.fairLock(name).acquire(options),
  readLock: (holdfast, name, options) => holdfast.readWriteLock(name).readLock().acquire(options),
  writeLock: (holdfast, name, options) => holdfast.readWriteLock(name).writeLock().acquire(options),
  semaphore: (holdfast, name, options) => holdfast.semaphore(name, 2).acquire(options),
  permitExpirableSemaphore: (holdfast, name, options) =>
    holdfast.permitExpirableSemaphore(name, 2).acquire(options),
}
