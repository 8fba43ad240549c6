/** The tests common to Redisson's locks, under their names, for the fair lock. Not testInCluster: Redisson has none for it; see test/contract. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { type Holdfast, type Lock, LockLostError, NotOwnerError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { Forked } from './forked.js'
import { Thread } from './thread.js'
import { UnguardedCounter } from './unguarded-counter.js'

const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

interface Two {
  readonly lock: Lock
  readonly owner: Thread
  readonly other: Thread
  end(): Promise<void>
}

/** A fair lock and two threads of one instance. */
async function two(): Promise<Two> {
  const holdfast = place.holdfast()
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  const end = async (): Promise<void> => {
    await owner.end()
    await other.end()
  }
  return { lock: holdfast.fairLock(place.lockName()), owner, other, end }
}

describe('state', () => {
  test('testIsLocked, testIsLockedOtherThread: held is seen by all, and is over with the unlock', async () => {
    const { lock, owner, other, end } = await two()
    const elsewhere = place.holdfast().fairLock(lock.name)
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
  test('testLockUnlock, testReentrancy: two tryLocks, one unlock, and another thread is still refused', async () => {
    const { lock, owner, other, end } = await two()
    for (let round = 0; round < 2; round += 1) {
      expect(await owner.do(() => lock.tryLock())).toBe(true)
      expect(await owner.do(() => lock.tryLock())).toBe(true)
      await owner.do(() => lock.unlock())
      expect(await other.do(() => lock.tryLock())).toBe(false)
      await owner.do(() => lock.unlock())
    }
    expect(await other.do(() => lock.tryLock())).toBe(true)
    await other.do(() => lock.unlock())
    await end()
  })

  // Redisson's fair lock lets anybody unlock a lock that nobody holds, and wakes the next for it.
  test('testUnlockFail: another thread cannot unlock, held or free, and the owner keeps the lock', async () => {
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
    expect(await place.holdfast().fairLock(lock.name).forceUnlock()).toBe(true)
    expect(await lock.isLocked()).toBe(false)
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    await end()
  })
})

describe('time', () => {
  // Redisson's fair lock does not tell a late unlock that the lock was lost (the test says: must not throw). A holder that is not
  // told believes that it was alone to the end, so here it is told, as with every other kind.
  test('testExpire: the lease lets a waiter in, and the late unlock is told without touching it', async () => {
    const { lock, owner, end } = await two()
    await owner.do(() => lock.lock({ leaseMs: 300 }))
    const next = await place.holdfast().fairLock(lock.name).acquire({ waitMs: 15_000 })
    await expect(owner.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    next.assertHeld()
    expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
    await next.release()
    await end()
  })

  test("testAutoExpire: a killed process's lock goes to the next in line within the watchdog's lease", async () => {
    const name = place.lockName()
    const { host, port } = inject('servers').standalone
    const fixture = new URL('../line/waiter.fixture.ts', import.meta.url)
    const child = Forked.start(fixture, { server: { host, port }, name, watchdogMs: 1_500 })
    expect(await child.told()).toBe('acquired')
    const wait = place.holdfast({ watchdogMs: 1_500 }).fairLock(name).acquire({ waitMs: 15_000 })
    await child.kill()
    await (await wait).release()
  })

  test('testTryLockWait: a wait in vain returns false when it is over, and not before', async () => {
    const { lock, owner, end } = await two()
    await owner.do(() => lock.lock())
    const stranger = place.holdfast()
    const startedAt = performance.now()
    expect(await stranger.run(() => stranger.fairLock(lock.name).tryLock({ waitMs: 300 }))).toBe(false)
    expect(performance.now() - startedAt).toBeGreaterThan(295)
    await owner.do(() => lock.unlock())
    await end()
  })
})

describe('concurrency', () => {
  async function takeTurns(instances: readonly Holdfast[], rounds: number): Promise<void> {
    const name = place.lockName()
    const counter = new UnguardedCounter(place.client(), name)
    const turns = instances.map(async (holdfast) => {
      for (let round = 0; round < rounds; round += 1)
        await holdfast.run(async () => {
          const lock = holdfast.fairLock(name)
          await lock.lock()
          try {
            await counter.section()
          } finally {
            await lock.unlock()
          }
        })
    })
    await Promise.all(turns)
    expect(await counter.read()).toEqual({ value: instances.length * rounds, overlaps: 0 })
    const left = await place.client().call('EXISTS', name, `holdfast_line:{${name}}`)
    expect(left).toBe(0)
  }

  test('testConcurrency_SingleInstance: 15 threads of one instance', async () => {
    const holdfast = place.holdfast()
    await takeTurns(
      Array.from({ length: 15 }, () => holdfast),
      1,
    )
  })

  test('testConcurrency_MultiInstance: 100 instances', async () => {
    await takeTurns(
      Array.from({ length: 100 }, () => place.holdfast()),
      1,
    )
  })

  test('testConcurrencyLoop_MultiInstance: 16 instances, 25 rounds each', async () => {
    await takeTurns(
      Array.from({ length: 16 }, () => place.holdfast()),
      25,
    )
  }, 60_000)
})
