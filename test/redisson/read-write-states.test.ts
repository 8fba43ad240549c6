/** The tests common to Redisson's locks, for both sides of the read-write lock, under their names. */
import { afterEach, describe, expect, test } from 'vitest'
import { LockLostError, NotOwnerError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { elsewhere, sidesOf } from './read-write-sides.js'
import { Thread } from './thread.js'

/** What two busy cores may add to any time that is measured here. */
const SLACK_MS = 5_000
const place = placeOf('standalone')

afterEach(() => place.tidy())

describe.each(['readLock', 'writeLock'] as const)('tests common to the locks, %s', (side) => {
  test('testIsLocked, testIsLockedOtherThread: seen by all while held', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(name)[side]()
    const others = [lock, elsewhere(place, name)[side]()]
    await holdfast.run(async () => {
      await lock.lock()
      for (const other of others) expect(await other.isLocked()).toBe(true)
      await lock.unlock()
      for (const other of others) expect(await other.isLocked()).toBe(false)
    })
  })

  test('testIsHeldByCurrentThread, testIsHeldByCurrentThreadOtherThread: the owner only', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(place.lockName())[side]()
    const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
    expect(await owner.do(() => lock.isHeld())).toBe(false)
    await owner.do(() => lock.lock())
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    expect(await other.do(() => lock.isHeld())).toBe(false)
    await owner.do(() => lock.unlock())
    expect(await owner.do(() => lock.isHeld())).toBe(false)
    await Promise.all([owner.end(), other.end()])
  })

  test('testHoldCount: 0, 1, 2, 1, 0', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(place.lockName())[side]()
    const counts: number[] = []
    await holdfast.run(async () => {
      counts.push(await lock.holdCount())
      for (const step of ['lock', 'lock', 'unlock', 'unlock'] as const) {
        await lock[step]()
        counts.push(await lock.holdCount())
      }
    })
    expect(counts).toEqual([0, 1, 2, 1, 0])
  })

  test('testLockUnlock: can be taken again', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(place.lockName())[side]()
    await holdfast.run(async () => {
      for (let round = 0; round < 2; round += 1) {
        await lock.lock()
        await lock.unlock()
      }
      expect(await lock.isLocked()).toBe(false)
    })
  })

  test('testUnlockFail: another thread cannot unlock, and the owner keeps it', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(place.lockName())[side]()
    const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
    await owner.do(() => lock.lock())
    await expect(other.do(() => lock.unlock())).rejects.toThrow(NotOwnerError)
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    await owner.do(() => lock.unlock())
    await Promise.all([owner.end(), other.end()])
  })

  // Redisson's owner learns of it at the unlock, by an IllegalMonitorStateException; ours by a LockLostError.
  test('testForceUnlock: frees it without owning it', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const lock = holdfast.readWriteLock(name)[side]()
    const owner = await Thread.start(holdfast)
    await owner.do(() => lock.lock())
    expect(await elsewhere(place, name)[side]().forceUnlock()).toBe(true)
    expect(await lock.isLocked()).toBe(false)
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    expect(await lock.forceUnlock()).toBe(false)
    await owner.end()
  })

  test('testAutoExpire: what a dead client held is free within the lease of its watchdog', async () => {
    const name = place.lockName()
    const watchdogMs = 900
    const dead = place.holdfast({ watchdogMs })
    await dead.readWriteLock(name)[side]().acquire()
    // Alive, it outlives its lease.
    await place.pass(watchdogMs + 200)
    expect(await elsewhere(place, name)[side]().isLocked()).toBe(true)
    // Closing gives nothing back: to the store that is what a crash is.
    await dead.close()
    const closedAt = performance.now()
    const hold = await elsewhere(place, name).writeLock().acquire({ waitMs: 10_000 })
    expect(performance.now() - closedAt).toBeLessThan(watchdogMs + SLACK_MS)
    await hold.release()
  })
})

test('testReentrancy: readers share it; a writer holds it until its last unlock', async () => {
  const name = place.lockName()
  const holdfast = place.holdfast()
  const { read, write } = sidesOf(holdfast.readWriteLock(name))
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  for (let depth = 0; depth < 2; depth += 1) expect(await owner.do(() => read.tryLock())).toBe(true)
  expect(await other.do(() => read.tryLock())).toBe(true)
  await other.do(() => read.unlock())
  await owner.do(() => read.unlock())
  expect(await other.do(() => write.tryLock())).toBe(false)
  await owner.do(() => read.unlock())
  for (let depth = 0; depth < 2; depth += 1) expect(await owner.do(() => write.tryLock())).toBe(true)
  await owner.do(() => write.unlock())
  expect(await other.do(() => write.tryLock())).toBe(false)
  expect(await other.do(() => read.tryLock())).toBe(false)
  await owner.do(() => write.unlock())
  expect(await other.do(() => write.tryLock())).toBe(true)
  await other.do(() => write.unlock())
  await Promise.all([owner.end(), other.end()])
})
