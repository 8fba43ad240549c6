/** RedissonReadWriteLockTest, as far as it is about who may enter, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Hold, LockUpgradeError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { elsewhere, lineOf, sidesOf } from './read-write-sides.js'
import { Thread } from './thread.js'
import { UnguardedCounter } from './unguarded-counter.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

describe('reading and writing', () => {
  test('testName: a name with a hash tag works on both sides', async () => {
    const name = `{tag}:${place.lockName()}`
    const holdfast = place.holdfast()
    const { read, write } = sidesOf(holdfast.readWriteLock(name))
    expect([read.name, write.name]).toEqual([name, name])
    await write.withLock(async () => {
      expect((await write.inspect()).name).toBe(name)
      expect(await elsewhere(place, name).readLock().tryAcquire()).toBeNull()
    })
    await read.withLock(async () => expect(await elsewhere(place, name).writeLock().tryAcquire()).toBeNull())
  })

  test('testReadLockIsLocked: not under a write, but once it reads too', async () => {
    const holdfast = place.holdfast()
    const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
    await holdfast.run(async () => {
      await write.lock()
      expect(await read.isLocked()).toBe(false)
      await read.lock()
      expect(await read.isLocked()).toBe(true)
      await write.unlock()
      expect(await read.isLocked()).toBe(true)
      await read.unlock()
      expect(await read.isLocked()).toBe(false)
    })
  })

  // Beyond the watchdog too: Redisson's read unlock ends the renewal of the write, which is known by the same name and thread.
  test('testWR: a read released under a write leaves the write held, and renewed', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast({ watchdogMs: 900 })
    const lost: unknown[] = []
    holdfast.on('lost', (event) => lost.push(event))
    const { read, write } = sidesOf(holdfast.readWriteLock(name))
    await holdfast.run(async () => {
      await write.lock()
      await read.lock()
      await read.unlock()
      await place.pass(2_000)
      expect(await write.isHeld()).toBe(true)
      expect(await elsewhere(place, name).readLock().tryAcquire()).toBeNull()
      await write.unlock()
    })
    expect(lost).toEqual([])
  })

  test('testWriteRead: twenty readers behind a writer are let in together', async () => {
    const name = place.lockName()
    const write = await elsewhere(place, name).writeLock().acquire()
    const holdfasts = Array.from({ length: 4 }, () => place.holdfast())
    const waits = Array.from({ length: 20 }, (_, index) =>
      holdfasts[index % 4]?.readWriteLock(name).readLock().acquire(),
    )
    await lineOf(place, name, 20)
    await write.release()
    const holds = await Promise.all(waits)
    // None has released yet: they all read at once.
    expect((await elsewhere(place, name).readLock().inspect()).owners).toHaveLength(20)
    await Promise.all(holds.map((hold) => hold?.release()))
  })

  test('testWriteReadReentrancy: a writer that goes on reading lets readers in, and writers wait for its read', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const { read, write } = sidesOf(holdfast.readWriteLock(name))
    const thread = await Thread.start(holdfast)
    await thread.do(() => write.lock())
    await thread.do(() => read.lock())
    const reading = elsewhere(place, name).readLock().acquire()
    await lineOf(place, name, 1)
    await thread.do(() => write.unlock())
    const reader = await reading
    const writing = elsewhere(place, name).writeLock().acquire()
    await lineOf(place, name, 1)
    await reader.release()
    await lineOf(place, name, 1)
    await thread.do(() => read.unlock())
    await (await writing).release()
    await thread.end()
  })

  test('testWriteLock: a writer excludes readers and writers, of this instance and others', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    const hold = await holdfast.readWriteLock(name).writeLock().acquire()
    for (const lock of [holdfast.readWriteLock(name), elsewhere(place, name)]) {
      expect(await lock.readLock().tryAcquire()).toBeNull()
      expect(await lock.writeLock().tryAcquire()).toBeNull()
    }
    await hold.release()
  })

  test('testMultiRead: readers of several instances share it', async () => {
    const name = place.lockName()
    const holds: Hold[] = []
    for (let count = 0; count < 3; count += 1) holds.push(await elsewhere(place, name).readLock().acquire())
    expect(await elsewhere(place, name).writeLock().tryAcquire()).toBeNull()
    for (const hold of holds) await hold.release()
    const writer = await elsewhere(place, name).writeLock().tryAcquire()
    await writer?.release()
    expect(writer).not.toBeNull()
  })

  // Redisson's readers that ask to write wait for themselves, for ever (#4796).
  test('who reads and asks to write is told so at once', async () => {
    const { read, write } = sidesOf(elsewhere(place, place.lockName()))
    const upgrade = read.withLock(() => write.withLock(() => 'written'))
    await expect(upgrade).rejects.toBeInstanceOf(LockUpgradeError)
    expect(await write.withLock(() => read.withLock(() => 'read within the write'))).toBe(
      'read within the write',
    )
    expect(await read.isLocked()).toBe(false)
  })
})

describe('concurrency', () => {
  test.each([
    ['testConcurrency_SingleInstance', 1, 15, 1],
    ['testConcurrency_MultiInstance', 40, 1, 1],
    ['testConcurrencyLoop_MultiInstance', 8, 2, 8],
  ])(
    '%s: no update is lost, and no reader sees half of one',
    async (_name, instances, threads, rounds) => {
      const name = place.lockName()
      const counter = new UnguardedCounter(place.client(), name)
      const holdfasts = Array.from({ length: instances }, () => place.holdfast())
      let seen = 0
      const turn = async ({ read, write }: ReturnType<typeof sidesOf>): Promise<void> => {
        await write.withLock(() => counter.section())
        await read.withLock(async () => {
          const { overlaps } = await counter.read()
          seen += overlaps === 0 ? 1 : 0
        })
      }
      await Promise.all(
        holdfasts.flatMap((holdfast) =>
          Array.from({ length: threads }, async () => {
            for (let round = 0; round < rounds; round += 1) await turn(sidesOf(holdfast.readWriteLock(name)))
          }),
        ),
      )
      const all = instances * threads * rounds
      expect(await counter.read()).toEqual({ value: all, overlaps: 0 })
      expect(seen).toBe(all)
      await lineOf(place, name, 0)
    },
    60_000,
  )
})
