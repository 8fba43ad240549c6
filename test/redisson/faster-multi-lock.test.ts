/** Redisson's tests of its faster multi-lock, under its names: what is true of each lock is true of several as one. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, LockLostError, type MultiLock, NotOwnerError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { Thread } from './thread.js'
import { UnguardedCounter } from './unguarded-counter.js'

// Redisson's is one hash with a field for each value; ours are locks as any other, taken by one command.
const place = placeOf('standalone')

afterEach(() => place.tidy())

/** The same locks, of whichever instance. */
function multiOf(holdfast: Holdfast, name: string, count = 3): MultiLock {
  return holdfast.multiLock(Array.from({ length: count }, (_, index) => holdfast.lock(`${name}:${index}`)))
}

/** How often each member is held by the thread. */
async function counts(thread: Thread, { locks }: MultiLock): Promise<number[]> {
  return await thread.do(() => Promise.all(locks.map((lock) => lock.holdCount())))
}

async function two() {
  const holdfast = place.holdfast()
  const multi = multiOf(holdfast, place.lockName())
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  const end = async (): Promise<void> => {
    await owner.end()
    await other.end()
  }
  return { holdfast, multi, owner, other, end }
}

describe('state', () => {
  test('testIsLocked, testIsLockedOtherThread: seen by all while held', async () => {
    const { multi, owner, other, end } = await two()
    expect(await multi.isLocked()).toBe(false)
    await owner.do(() => multi.lock())
    expect(await other.do(() => multi.isLocked())).toBe(true)
    for (const { name } of multi.locks) expect(await place.holdfast().lock(name).isLocked()).toBe(true)
    await owner.do(() => multi.unlock())
    expect(await multi.isLocked()).toBe(false)
    await end()
  })

  test('testIsHeldByCurrentThread, testIsHeldByCurrentThreadOtherThread: by the owner only', async () => {
    const { multi, owner, other, end } = await two()
    await owner.do(() => multi.lock())
    expect(await owner.do(() => multi.isHeld())).toBe(true)
    expect(await other.do(() => multi.isHeld())).toBe(false)
    await owner.do(() => multi.unlock())
    expect(await owner.do(() => multi.isHeld())).toBe(false)
    await end()
  })

  test('testGetHoldCount: each member is counted', async () => {
    const { multi, owner, end } = await two()
    const [first] = multi.locks
    const seen = [await counts(owner, multi)]
    const steps = [
      () => multi.lock(),
      () => first?.lock(),
      () => multi.lock(),
      () => multi.unlock(),
      () => first?.unlock(),
      () => multi.unlock(),
    ]
    for (const step of steps) {
      await owner.do(step)
      seen.push(await counts(owner, multi))
    }
    expect(seen).toEqual([
      ...[[0, 0, 0]],
      ...[[1, 1, 1]],
      ...[[2, 1, 1]],
      ...[[3, 2, 2]],
      ...[[2, 1, 1]],
      ...[[1, 1, 1]],
      ...[[0, 0, 0]],
    ])
    await end()
  })
})

describe('taking and giving back', () => {
  test('testIsHeldAndIsLockedByThread (H31): both say yes until the unlock, and no after it', async () => {
    const { multi, owner, end } = await two()
    await owner.do(() => multi.lock())
    expect(await owner.do(() => multi.isHeld())).toBe(true)
    expect(await owner.do(() => multi.isLocked())).toBe(true)
    await owner.do(() => multi.unlock())
    expect(await owner.do(() => multi.isHeld())).toBe(false)
    expect(await owner.do(() => multi.isLocked())).toBe(false)
    await end()
  })

  // A Node call is interrupted by its signal or not at all.
  test('testLockUnInterruptibly (H31): a lock() without a signal waits on while another, with one, ends with its reason', async () => {
    const { multi, owner, other, end } = await two()
    await owner.do(() => multi.lock())
    const interrupt = new AbortController()
    const uninterrupted = other.do(() => multi.lock())
    const interrupted = multi.acquire({ signal: interrupt.signal })
    interrupt.abort(new Error('interrupted'))
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(await other.do(() => multi.isHeld())).toBe(false)
    await owner.do(() => multi.unlock())
    await uninterrupted
    expect(await other.do(() => multi.isHeld())).toBe(true)
    await other.do(() => multi.unlock())
    await end()
  })

  test('testSimpleLock: holds what it names, and nothing else', async () => {
    const { holdfast, multi, owner, other, end } = await two()
    await owner.do(() => multi.lock())
    const third = holdfast.lock(`${place.lockName()}:free`)
    expect(await other.do(() => third.tryLock())).toBe(true)
    await other.do(() => third.unlock())
    for (const lock of multi.locks) expect(await other.do(() => lock.tryLock())).toBe(false)
    await owner.do(() => multi.unlock())
    for (const lock of multi.locks) {
      expect(await other.do(() => lock.tryLock())).toBe(true)
      await other.do(() => lock.unlock())
    }
    await end()
  })

  test('testReentrantLock, testReentrancy: taken twice, held until it is given back twice', async () => {
    const { multi, owner, other, end } = await two()
    for (let depth = 0; depth < 2; depth += 1) expect(await owner.do(() => multi.tryLock())).toBe(true)
    await owner.do(() => multi.unlock())
    expect(await other.do(() => multi.tryLock())).toBe(false)
    await owner.do(() => multi.unlock())
    expect(await other.do(() => multi.tryLock())).toBe(true)
    await other.do(() => multi.unlock())
    await end()
  })

  test('testTryLock: with one member held by another, none is taken; with all free, all are', async () => {
    const { multi, owner, other, end } = await two()
    for (const busy of multi.locks) {
      await other.do(() => busy.lock())
      expect(await owner.do(() => multi.tryLock())).toBe(false)
      expect(await counts(owner, multi)).toEqual([0, 0, 0])
      await other.do(() => busy.unlock())
    }
    expect(await owner.do(() => multi.tryLock({ leaseMs: 60_000 }))).toBe(true)
    for (const lock of multi.locks) expect(await lock.remainingMs()).toBeGreaterThan(50_000)
    await owner.do(() => multi.unlock())
    await end()
  })

  test('testUnlockFail: another thread cannot unlock, and the owner keeps all', async () => {
    const { multi, owner, other, end } = await two()
    await owner.do(() => multi.lock())
    await expect(other.do(() => multi.unlock())).rejects.toThrow(NotOwnerError)
    expect(await counts(owner, multi)).toEqual([1, 1, 1])
    await owner.do(() => multi.unlock())
    await end()
  })

  // There is no forceUnlock() of several: each of them may by then be another's.
  test('testForceUnlock: a member that is forced open is lost, and the others are given back all the same', async () => {
    const { multi, owner, end } = await two()
    await owner.do(() => multi.lock())
    expect(
      await place
        .holdfast()
        .lock(multi.locks[1]?.name ?? '')
        .forceUnlock(),
    ).toBe(true)
    await expect(owner.do(() => multi.unlock())).rejects.toThrow(LockLostError)
    expect(await multi.isLocked()).toBe(false)
    await end()
  })

  test('testForceUnLock (H31): with every member forced open nothing is left in the store', async () => {
    const { multi, owner, end } = await two()
    await owner.do(() => multi.lock({ leaseMs: 30_000 }))
    const elsewhere = place.holdfast()
    for (const { name } of multi.locks) expect(await elsewhere.lock(name).forceUnlock()).toBe(true)
    expect(await multi.isLocked()).toBe(false)
    const client = place.client()
    for (const { name } of multi.locks) expect(await client.call('EXISTS', name)).toBe(0)
    await expect(owner.do(() => multi.unlock())).rejects.toThrow(LockLostError)
    await end()
  })
})

describe('time', () => {
  test('testRenewExpiration: without a lease time each member outlives the watchdog’s', async () => {
    const holdfast = place.holdfast({ watchdogMs: 900 })
    const multi = multiOf(holdfast, place.lockName())
    const renewed = new Map<string, number>()
    holdfast.on('renewed', ({ name }) => renewed.set(name, (renewed.get(name) ?? 0) + 1))
    const hold = await multi.acquire()
    await place.eventually(() => multi.locks.every(({ name }) => (renewed.get(name) ?? 0) >= 4))
    hold.assertHeld()
    expect(await multi.isLocked()).toBe(true)
    await hold.release()
  })

  test('testExpire: a lease that ends lets others in, and the late unlock is told of it', async () => {
    const { multi, owner, end } = await two()
    await owner.do(() => multi.lock({ leaseMs: 300 }))
    const elsewhere = place.holdfast()
    const next = await elsewhere
      .multiLock(multi.locks.map(({ name }) => elsewhere.lock(name)))
      .acquire({ waitMs: 15_000 })
    await expect(owner.do(() => multi.unlock())).rejects.toThrow(LockLostError)
    next.assertHeld()
    await next.release()
    await end()
  })
})

test('testConcurrency_MultiInstance: 30 instances, each with the members in an order of its own', async () => {
  const name = place.lockName()
  const counter = new UnguardedCounter(place.client(), name)
  const sections = Array.from({ length: 30 }, async (_, index) => {
    const holdfast = place.holdfast()
    const order = [index % 3, (index + 1) % 3, (index + 2) % 3]
    const locks = order.map((member) => holdfast.lock(`${name}:${member}`))
    if (index % 2) locks.reverse()
    await holdfast.multiLock(locks).withLock(() => counter.section())
  })
  await Promise.all(sections)
  expect(await counter.read()).toEqual({ value: 30, overlaps: 0 })
})
