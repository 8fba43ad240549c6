import type { Holdfast } from '../../src/index.js'

/** Every sort of public call that asks a store for something, each on a lock or whatever of that name, and for no longer than it must. */
export const publicCalls: Readonly<Record<string, (holdfast: Holdfast, name: string) => Promise<unknown>>> = {
  tryAcquire: (holdfast, name) => holdfast.lock(name).tryAcquire(),
  acquire: (holdfast, name) => holdfast.lock(name).acquire({ waitMs: 50 }),
  withLock: (holdfast, name) => holdfast.lock(name).withLock({ waitMs: 50 }, () => 1),
  isLocked: (holdfast, name) => holdfast.lock(name).isLocked(),
  inspect: (holdfast, name) => holdfast.lock(name).inspect(),
  remainingMs: (holdfast, name) => holdfast.lock(name).remainingMs(),
  forceUnlock: (holdfast, name) => holdfast.lock(name).forceUnlock(),
  fenced: (holdfast, name) => holdfast.fencedLock(name).tryAcquire(),
  fair: (holdfast, name) => holdfast.fairLock(name).tryAcquire(),
  spin: (holdfast, name) => holdfast.spinLock(name).tryAcquire(),
  read: (holdfast, name) => holdfast.readWriteLock(name).readLock().acquire({ waitMs: 50 }),
  write: (holdfast, name) => holdfast.readWriteLock(name).writeLock().tryAcquire(),
  multi: (holdfast, name) =>
    holdfast.multiLock([holdfast.lock(name), holdfast.lock(`${name} too`)]).tryAcquire(),
  striped: (holdfast, name) => holdfast.stripedLock(name, 2).tryAcquireAny(),
  trySetPermits: (holdfast, name) => holdfast.semaphore(name).trySetPermits(1),
  addPermits: (holdfast, name) => holdfast.semaphore(name).addPermits(1),
  availablePermits: (holdfast, name) => holdfast.semaphore(name).availablePermits(),
  permit: (holdfast, name) => holdfast.semaphore(name, 1).acquire({ waitMs: 50 }),
  setPermits: (holdfast, name) => holdfast.permitExpirableSemaphore(name).setPermits(2),
  leaseMs: (holdfast, name) => holdfast.permitExpirableSemaphore(name).leaseMs('0'.repeat(32)),
  'permit with an id': (holdfast, name) => holdfast.permitExpirableSemaphore(name, 1).tryAcquire(),
  trySetCount: (holdfast, name) => holdfast.countDownLatch(name).trySetCount(1),
  countDown: (holdfast, name) => holdfast.countDownLatch(name).countDown(),
  await: (holdfast, name) => holdfast.countDownLatch(name).await({ waitMs: 50 }),
  guarded: (holdfast, name) => holdfast.guardedValue(name).get(),
  computeOnce: (holdfast, name) => holdfast.computeOnce(name, () => 1, { ttlMs: 1_000, waitMs: 50 }),
  job: (holdfast, name) => holdfast.job(name, { atLeastMs: 1, atMostMs: 1_000 }, () => 1),
  current: (holdfast, name) => holdfast.leader(name).current(),
  list: async (holdfast) => {
    for await (const state of holdfast.list()) if (state.name === '') return
  },
}
