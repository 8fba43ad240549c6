/** RedissonReadWriteLockTest, as far as it is about time, under its names, with shorter leases. */
import { afterEach, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { elsewhere, sidesOf } from './read-write-sides.js'
import { Thread } from './thread.js'

/** What two busy cores may add to any time that is measured here. */
const SLACK_MS = 5_000
const place = placeOf('standalone')

afterEach(() => place.tidy())

test('testExpireWrite: the lease lets a waiter in, and the late unlock touches nothing of it', async () => {
  const name = place.lockName()
  const holdfast = place.holdfast()
  const write = holdfast.readWriteLock(name).writeLock()
  const late = await Thread.start(holdfast)
  await late.do(() => write.lock({ leaseMs: 400 }))
  const hold = await elsewhere(place, name).writeLock().acquire({ waitMs: 10_000 })
  await expect(late.do(() => write.unlock())).rejects.toThrow(LockLostError)
  hold.assertHeld()
  await hold.release()
  await late.end()
})

test('testExpireRead: a second reader enters meanwhile; its unlock is fine after the first has expired', async () => {
  const name = place.lockName()
  const first = await elsewhere(place, name).readLock().acquire({ leaseMs: 400 })
  const second = await elsewhere(place, name).readLock().acquire({ leaseMs: 60_000 })
  await place.eventually(() => first.signal.aborted)
  const watcher = elsewhere(place, name).readLock()
  await place.eventually(async () => (await watcher.inspect()).owners.length === 1)
  expect((await watcher.inspect()).owners).toMatchObject([{ owner: second.owner, holds: 1 }])
  await expect(first.release()).rejects.toThrow(LockLostError)
  await second.release()
  expect(await watcher.isLocked()).toBe(false)
})

test('testReadLockExpiration: the writer enters when the longest reader is over, not before', async () => {
  const name = place.lockName()
  const lock = elsewhere(place, name)
  const startedAt = performance.now()
  for (const leaseMs of [200, 1_200, 500]) await lock.readLock().acquire({ leaseMs })
  const hold = await elsewhere(place, name).writeLock().acquire({ waitMs: 15_000 })
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeGreaterThan(1_100)
  expect(tookMs).toBeLessThan(1_200 + SLACK_MS)
  await hold.release()
})

test('testReadLockExpirationRenewal: fifty readers outlive the watchdog’s lease', async () => {
  const name = place.lockName()
  const holdfast = place.holdfast({ watchdogMs: 1_500 })
  const lost: unknown[] = []
  holdfast.on('lost', (event) => lost.push(event))
  const read = holdfast.readWriteLock(name).readLock()
  const holds = await Promise.all(Array.from({ length: 50 }, () => read.acquire()))
  await place.pass(3_200)
  expect((await read.inspect()).owners).toHaveLength(50)
  expect(await elsewhere(place, name).writeLock().tryAcquire()).toBeNull()
  await Promise.all(holds.map((hold) => hold.release()))
  expect(lost).toEqual([])
  expect(await read.isLocked()).toBe(false)
})

// Redisson adds up the leases of nested writes, and that keeps others out. Here the longest lease does (rule L2).
test('testWriteLockExpiration: nested leases keep others out for the longest of them', async () => {
  const name = place.lockName()
  const holdfast = place.holdfast()
  const write = holdfast.readWriteLock(name).writeLock()
  await holdfast.run(async () => {
    await write.lock({ leaseMs: 2_000 })
    await write.lock({ leaseMs: 2_000 })
    expect(await write.remainingMs()).toBeLessThanOrEqual(2_000)
    expect(await elsewhere(place, name).writeLock().tryAcquire()).toBeNull()
    expect(await elsewhere(place, name).readLock().tryAcquire()).toBeNull()
    const hold = await elsewhere(place, name).readLock().acquire({ waitMs: 10_000 })
    await hold.release()
    for (let depth = 0; depth < 2; depth += 1) await expect(write.unlock()).rejects.toThrow(LockLostError)
  })
})

// Redisson's second read lock is the same thread's, and its unlock falls back to the time of the first. Here a partial release never
// shortens the time left (rule L2), so the second reader is another thread.
test('testReadLockLeaseTimeout (H31): a reader that came and left keeps nobody out past the first one’s lease', async () => {
  const holdfast = place.holdfast()
  const name = place.lockName()
  const read = holdfast.readWriteLock(name).readLock()
  const [first, second] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  expect(await first.do(() => read.tryLock({ waitMs: 1_000, leaseMs: 600 }))).toBe(true)
  expect(await second.do(() => read.tryLock({ waitMs: 1_000, leaseMs: 60_000 }))).toBe(true)
  await second.do(() => read.unlock())
  expect(await read.remainingMs()).toBeLessThanOrEqual(600)
  await place.eventually(async () => !(await read.isLocked()))
  const write = holdfast.readWriteLock(name).writeLock()
  expect(await second.do(() => write.tryLock())).toBe(true)
  await second.do(() => write.unlock())
  for (const thread of [first, second]) await thread.end()
})

test.each([
  ['testReadLockLeaseTimeoutDiffThreadsWRR', ['read', 'read']],
  ['testReadLockLeaseTimeoutDiffThreadsRRW', ['read', 'read', 'read']],
] as const)('%s: leases that end unreleased admit others', async (_name, holders) => {
  const name = place.lockName()
  for (const side of holders) await sidesOf(elsewhere(place, name))[side].acquire({ leaseMs: 300 })
  const writer = await elsewhere(place, name).writeLock().acquire({ waitMs: 10_000, leaseMs: 300 })
  const readers = [elsewhere(place, name), elsewhere(place, name)].map((lock) =>
    lock.readLock().acquire({ waitMs: 10_000 }),
  )
  const holds = await Promise.all(readers)
  await expect(writer.release()).rejects.toThrow(LockLostError)
  await Promise.all(holds.map((hold) => hold.release()))
})

test('testReadWriteTTL: the time left is whole before and after the downgrade', async () => {
  const holdfast = place.holdfast()
  const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
  await holdfast.run(async () => {
    await write.lock({ leaseMs: 20_000 })
    await read.lock({ leaseMs: 20_000 })
    for (const lock of [write, read]) expect(await lock.remainingMs()).toBeGreaterThan(20_000 - SLACK_MS)
    await write.unlock()
    expect(await write.remainingMs()).toBe(0)
    expect(await read.remainingMs()).toBeGreaterThan(20_000 - SLACK_MS)
    await read.unlock()
  })
})

test('testMultiInstanceReadLockZombieCleanup: a dead reader is not kept alive by those who renew', async () => {
  const name = place.lockName()
  const alive = place.holdfast({ watchdogMs: 900 })
  const hold = await alive.readWriteLock(name).readLock().acquire()
  const dead = place.holdfast({ watchdogMs: 900 })
  await dead.readWriteLock(name).readLock().acquire()
  await dead.close()
  const read = elsewhere(place, name).readLock()
  const owners = (): Promise<unknown> => read.inspect().then((state) => state.owners)
  await place.eventually(owners, (seen) => Array.isArray(seen) && seen.length === 1)
  await hold.release()
  const writer = await elsewhere(place, name).writeLock().tryAcquire()
  expect(writer).not.toBeNull()
  await writer?.release()
})

test('testMultiInstanceZombieReadLockPerformance (H31): 60 holds of 20 dead readers delay a writer by no more than their lease', async () => {
  const name = place.lockName()
  for (let instance = 0; instance < 20; instance += 1) {
    const dead = place.holdfast({ watchdogMs: 900 })
    const read = dead.readWriteLock(name).readLock()
    await Promise.all(Array.from({ length: 3 }, () => read.acquire()))
    await dead.close()
  }
  const living = place.holdfast({ watchdogMs: 900 })
  const reader = await living.readWriteLock(name).readLock().acquire()
  const owners = (): Promise<number> =>
    living
      .readWriteLock(name)
      .readLock()
      .inspect()
      .then((state) => state.owners.length)
  await place.eventually(owners, (count) => count === 1)
  await reader.release()
  // Redisson polls for the write lock, a second each time. The first attempt has to do.
  const writer = await living.readWriteLock(name).writeLock().tryAcquire()
  expect(writer).not.toBeNull()
  await writer?.release()
})
