/** RedissonSpinLockTest, as far as it is what every lock of Redisson's is tested for, under its names. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { LockLostError, NotOwnerError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { Forked } from './forked.js'
import { Thread } from './thread.js'

const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

/** A spin lock, and two threads of one instance. */
async function two() {
  const holdfast = place.holdfast()
  const lock = holdfast.spinLock(place.lockName())
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  const end = async (): Promise<void> => {
    await owner.end()
    await other.end()
  }
  return { lock, owner, other, end }
}

describe('state', () => {
  test('testIsLocked, testIsLockedOtherThread: held is seen by all, and is over with the unlock', async () => {
    const { lock, owner, other, end } = await two()
    const elsewhere = place.holdfast().spinLock(lock.name)
    expect(await lock.isLocked()).toBe(false)
    await owner.do(() => lock.lock())
    expect(await other.do(() => lock.isLocked())).toBe(true)
    expect(await elsewhere.isLocked()).toBe(true)
    await owner.do(() => lock.unlock())
    expect(await elsewhere.isLocked()).toBe(false)
    await end()
  })

  test('testIsHeldByCurrentThread, testIsHeldByCurrentThreadOtherThread: only by the one that locked', async () => {
    const { lock, owner, other, end } = await two()
    expect(await owner.do(() => lock.isHeld())).toBe(false)
    await owner.do(() => lock.lock())
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    expect(await other.do(() => lock.isHeld())).toBe(false)
    await owner.do(() => lock.unlock())
    expect(await owner.do(() => lock.isHeld())).toBe(false)
    await end()
  })

  test('testGetHoldCount: 0, 1, 2, 1, 0', async () => {
    const { lock, owner, end } = await two()
    const counts = [await owner.do(() => lock.holdCount())]
    for (const step of [() => lock.lock(), () => lock.lock(), () => lock.unlock(), () => lock.unlock()]) {
      await owner.do(step)
      counts.push(await owner.do(() => lock.holdCount()))
    }
    expect(counts).toEqual([0, 1, 2, 1, 0])
    await end()
  })
})

describe('taking and giving back', () => {
  test('testLockUnlock: can be taken again after it was given back', async () => {
    const { lock, owner, other, end } = await two()
    for (const thread of [owner, owner, other]) {
      await thread.do(() => lock.lock())
      await thread.do(() => lock.unlock())
    }
    await end()
  })

  test('testReentrancy: after two tryLocks and one unlock another thread is still refused', async () => {
    const { lock, owner, other, end } = await two()
    expect(await owner.do(() => lock.tryLock())).toBe(true)
    expect(await owner.do(() => lock.tryLock())).toBe(true)
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.tryLock())).toBe(false)
    await owner.do(() => lock.unlock())
    expect(await other.do(() => lock.tryLock())).toBe(true)
    await other.do(() => lock.unlock())
    await end()
  })

  test('testUnlockFail: another thread cannot unlock, and the owner keeps the lock', async () => {
    const { lock, owner, other, end } = await two()
    await owner.do(() => lock.lock())
    await expect(other.do(() => lock.unlock())).rejects.toThrow(NotOwnerError)
    expect(await owner.do(() => lock.isHeld())).toBe(true)
    await owner.do(() => lock.unlock())
    await expect(other.do(() => lock.unlock())).rejects.toThrow(NotOwnerError)
    await end()
  })

  test('testForceUnlock: frees a lock without owning it, and its owner is told', async () => {
    const { lock, owner, end } = await two()
    await owner.do(() => lock.lock())
    expect(await place.holdfast().spinLock(lock.name).forceUnlock()).toBe(true)
    expect(await lock.isLocked()).toBe(false)
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    await end()
  })
})

describe('time', () => {
  test('testExpire: the lease lets a waiter in, and the late unlock fails without touching it', async () => {
    const { lock, owner, end } = await two()
    await owner.do(() => lock.lock({ leaseMs: 300 }))
    const next = await place.holdfast().spinLock(lock.name).acquire({ waitMs: 15_000 })
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    next.assertHeld()
    expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
    await next.release()
    await end()
  })

  test("testAutoExpire: a killed process's lock goes within the watchdog's lease", async () => {
    const name = place.lockName()
    const { host, port } = inject('servers').standalone
    const task = { server: { host, port }, name, watchdogMs: 1_500, kind: 'spinLock' }
    const child = Forked.start(new URL('./holder.fixture.ts', import.meta.url), task)
    const holder = await child.told()
    const lock = place.holdfast().spinLock(name)
    expect((await lock.inspect()).owners).toMatchObject([{ owner: holder, holds: 1 }])
    const wait = lock.acquire({ waitMs: 15_000 })
    await child.kill()
    await (await wait).release()
  })

  test('testTryLockWait: a wait in vain returns false when it is over, and not before', async () => {
    const { lock, owner, end } = await two()
    await owner.do(() => lock.lock())
    const stranger = place.holdfast()
    const startedAt = performance.now()
    expect(await stranger.run(() => stranger.spinLock(lock.name).tryLock({ waitMs: 300 }))).toBe(false)
    expect(performance.now() - startedAt).toBeGreaterThan(295)
    await owner.do(() => lock.unlock())
    await end()
  })
})
