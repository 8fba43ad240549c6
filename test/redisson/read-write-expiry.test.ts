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
  expect((await watcher.inspect()).owners).toEqual([{ owner: second.owner, holds: 1 }])
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

// In Redisson the second hold's lease goes with its unlock. Here the longest lease stands, and a release shortens nothing (rule L2).
test('testReadLockLeaseTimeout: the thread reads twice, unlocks once, and may write when its leases are over', async () => {
  const holdfast = place.holdfast()
  const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
  await holdfast.run(async () => {
    expect(await read.tryLock({ waitMs: 1_000, leaseMs: 800 })).toBe(true)
    await place.pass(500)
    expect(await read.tryLock({ waitMs: 1_000, leaseMs: 800 })).toBe(true)
    await read.unlock()
    await place.eventually(async () => !(await read.isLocked()))
    expect(await write.tryLock()).toBe(true)
    await write.unlock()
  })
})

test('testReadLockLeaseTimeoutDiffThreadsWRR: a write whose lease ends lets in both readers that wait', async () => {
  const name = place.lockName()
  const writer = await elsewhere(place, name).writeLock().acquire({ waitMs: 1_000, leaseMs: 400 })
  const readers = await Promise.all(
    [elsewhere(place, name), elsewhere(place, name)].map((lock) =>
      lock.readLock().acquire({ waitMs: 10_000 }),
    ),
  )
  for (const hold of readers) hold.assertHeld()
  await expect(writer.release()).rejects.toThrow(LockLostError)
  await Promise.all(readers.map((hold) => hold.release()))
})

test('testReadLockLeaseTimeoutDiffThreadsRRW: the writer enters when the first reader’s lease ends, the second has released', async () => {
  const name = place.lockName()
  await elsewhere(place, name).readLock().acquire({ waitMs: 1_000, leaseMs: 600 })
  await place.pass(300)
  const second = await elsewhere(place, name).readLock().acquire({ waitMs: 1_000, leaseMs: 60_000 })
  await second.release()
  const writing = await elsewhere(place, name).writeLock().acquire({ waitMs: 10_000, leaseMs: 10_000 })
  writing.assertHeld()
  await writing.release()
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

// Disabled in Redisson, which looks at every reader there ever was.
test('testMultiInstanceZombieReadLockPerformance: readers that died cost those who come after them nothing', async () => {
  const name = place.lockName()
  const alive = place.holdfast()
  const hold = await alive.readWriteLock(name).readLock().acquire()
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const zombie = place.holdfast({ watchdogMs: 900 })
      await zombie.readWriteLock(name).readLock().acquire()
      await zombie.close()
    }),
  )
  const client = place.client()
  await place.eventually(
    async () => (await alive.readWriteLock(name).readLock().inspect()).owners.length === 1,
  )
  // Whoever asks next sweeps them away, all at once.
  await (await elsewhere(place, name).readLock().acquire()).release()
  for (const key of [`holdfast_rw:{${name}}`, `holdfast_rw_leases:{${name}}`]) {
    expect(await client.call(key.includes('leases') ? 'ZCARD' : 'HLEN', key)).toBe(1)
  }
  await hold.release()
  await (await elsewhere(place, name).writeLock().acquire({ waitMs: 1_000 })).release()
})
