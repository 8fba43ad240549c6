/** Redisson's common set of lock tests, under its names: one lock, its owner and everybody else. */
import { afterEach, describe, expect, test } from 'vitest'
import { LockLostError, NotOwnerError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { Thread } from './thread.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

describe('state', () => {
  test('testIsLocked: held is seen by all, and is over with the unlock', async () => {
    const name = place.lockName()
    const lock = place.holdfast().lock(name)
    expect(await lock.isLocked()).toBe(false)
    const holdfast = place.holdfast()
    await holdfast.run(async () => {
      const mine = holdfast.lock(name)
      await mine.lock()
      expect(await mine.isLocked()).toBe(true)
      expect(await lock.isLocked()).toBe(true)
      await mine.unlock()
      expect(await mine.isLocked()).toBe(false)
    })
    expect(await lock.isLocked()).toBe(false)
  })

  test('testIsLockedOtherThread: another thread, of this instance or another, sees it too', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const owner = await Thread.start(holdfast)
    const other = await Thread.start(holdfast)
    await owner.do(() => lock.lock())
    expect(await other.do(() => lock.isLocked())).toBe(true)
    expect(await place.holdfast().lock(lock.name).isLocked()).toBe(true)
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.isLocked())).toBe(false)
    await owner.end()
    await other.end()
  })

  test('testIsHeldByCurrentThread: only while held', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    await holdfast.run(async () => {
      expect(await lock.isHeld()).toBe(false)
      await lock.lock()
      expect(await lock.isHeld()).toBe(true)
      await lock.unlock()
      expect(await lock.isHeld()).toBe(false)
    })
  })

  test('testIsHeldByCurrentThreadOtherThread: not by another thread', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const owner = await Thread.start(holdfast)
    const other = await Thread.start(holdfast)
    await owner.do(() => lock.lock())
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    expect(await other.do(() => lock.isHeld())).toBe(false)
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.isHeld())).toBe(false)
    await owner.end()
    await other.end()
  })

  test('testGetHoldCount: 0, 1, 2, 1, 0', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const counts: number[] = []
    await holdfast.run(async () => {
      counts.push(await lock.holdCount())
      await lock.lock()
      counts.push(await lock.holdCount())
      await lock.lock()
      counts.push(await lock.holdCount())
      await lock.unlock()
      counts.push(await lock.holdCount())
      await lock.unlock()
      counts.push(await lock.holdCount())
    })
    expect(counts).toEqual([0, 1, 2, 1, 0])
  })
})

describe('taking and giving back', () => {
  test('testLockUnlock: can be taken again after it was given back', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    await holdfast.run(async () => {
      for (let round = 0; round < 2; round += 1) {
        await lock.lock()
        await lock.unlock()
      }
      expect(await lock.isLocked()).toBe(false)
    })
  })

  test('testReentrancy: after two tryLocks and one unlock another thread is still refused', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const owner = await Thread.start(holdfast)
    const other = await Thread.start(holdfast)
    expect(await owner.do(() => lock.tryLock())).toBe(true)
    expect(await owner.do(() => lock.tryLock())).toBe(true)
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.tryLock())).toBe(false)
    expect(await place.holdfast().lock(lock.name).tryAcquire()).toBeNull()
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.tryLock())).toBe(true)
    await other.do(() => lock.unlock())
    await owner.end()
    await other.end()
  })

  test('testUnlockFail: another thread cannot unlock, and the owner keeps the lock', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const owner = await Thread.start(holdfast)
    const other = await Thread.start(holdfast)
    await owner.do(() => lock.lock())
    await expect(other.do(() => lock.unlock())).rejects.toThrow(NotOwnerError)
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    await owner.do(() => lock.unlock())
    await owner.end()
    await other.end()
  })

  // Redisson tells the owner with the next unlock, as an IllegalMonitorStateException; so do we, as a LockLostError.
  test('testForceUnlock: frees a lock without owning it, and its owner is told', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const owner = await Thread.start(holdfast)
    await owner.do(() => lock.lock())
    expect(await place.holdfast().lock(lock.name).forceUnlock()).toBe(true)
    expect(await lock.isLocked()).toBe(false)
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    expect(await lock.forceUnlock()).toBe(false)
    await owner.end()
  })
})
