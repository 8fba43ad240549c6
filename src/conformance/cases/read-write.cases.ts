import { afterEach, describe, expect, test } from 'vitest'
import { LockUpgradeError, type ReadWriteLock, TooManyWaitersError } from '../../index.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Both sides of a read-write lock; the write lock alone keeps what every kind of lock keeps. */
export function readWriteCases(place: Place): void {
  describe(`read-write lock: ${place.name}`, () => {
    afterEach(() => place.tidy())

    /** The same lock in two processes. */
    const pair = (): readonly [ReadWriteLock, ReadWriteLock] => {
      const name = place.lockName()
      return [place.holdfast().readWriteLock(name), place.holdfast().readWriteLock(name)]
    }

    test('many read together, and nobody writes meanwhile', async () => {
      const [here, there] = pair()
      const readers = [
        await here.readLock().acquire(),
        await here.readLock().acquire(),
        await there.readLock().acquire(),
      ]
      expect(await there.writeLock().tryAcquire()).toBeNull()
      for (const reader of readers) await reader.release()
      await using writer = await there.writeLock().acquire()
      writer.assertHeld()
    })

    test('faults D3: maxWaiters counts both sides together, and the newest call is refused', async () => {
      const lock = place.holdfast({ maxWaiters: 2 }).readWriteLock(place.lockName())
      const hold = await place.holdfast().readWriteLock(lock.name).writeLock().acquire()
      const calls = [lock.readLock(), lock.writeLock(), lock.readLock(), lock.writeLock()].map((side) =>
        side.acquire(),
      )
      const refused = Promise.all(calls.slice(2).map((call) => rejectionOf(call)))
      for (const error of await inTime(place, refused)) expect(error).toBeInstanceOf(TooManyWaitersError)
      await hold.release()
      for (const call of calls.slice(0, 2)) await (await inTime(place, call)).release()
    })

    test('one writes, and nobody else reads or writes', async () => {
      const [here, there] = pair()
      await using _writer = await here.writeLock().acquire()
      for (const lock of [here, there]) {
        expect(await lock.readLock().tryAcquire()).toBeNull()
        expect(await lock.writeLock().tryAcquire()).toBeNull()
      }
    })

    test('a reader that comes after a waiting writer waits its turn', async () => {
      const [here, there] = pair()
      const reader = await here.readLock().acquire()
      const order: string[] = []
      const writing = there.writeLock().withLock(() => order.push('write'))
      await untilWaiting(place, here.writeLock(), 1)
      const reading = here.readLock().withLock(() => order.push('read'))
      await place.pass(20)
      await reader.release()
      await inTime(place, Promise.all([writing, reading]))
      expect(order).toEqual(['write', 'read'])
    })

    test('a writing section may read; a reading one may not write, and says so', async () => {
      const [here] = pair()
      await here.writeLock().withLock(() => here.readLock().withLock(() => undefined))
      await here.readLock().withLock(async () => {
        const refused = await rejectionOf(here.writeLock().withLock(() => undefined))
        expect(refused).toBeInstanceOf(LockUpgradeError)
      })
    })

    test('readers that wait for a writer get in together when it leaves', async () => {
      const [here, there] = pair()
      const writer = await here.writeLock().acquire()
      const reading = [here, here, there, there].map((lock) => lock.readLock().acquire())
      await writer.release()
      const readers = await inTime(place, Promise.all(reading))
      for (const reader of readers) reader.assertHeld()
      for (const reader of readers) await reader.release()
    })

    test('a lease that ends on one side lets in the other', async () => {
      const [here, there] = pair()
      await here.readLock().acquire({ leaseMs: place.lease(100) })
      const writer = await inTime(place, there.writeLock().acquire({ leaseMs: place.lease(100) }))
      expect(writer.name).toBe(here.writeLock().name)
      await using _reader = await inTime(place, here.readLock().acquire())
    })

    test('tokens of writers grow', async () => {
      const [here, there] = pair()
      let last = 0n
      for (const lock of [here, there, here]) {
        await lock.writeLock().withLock(({ fence }) => {
          expect(fence).toBeGreaterThan(last)
          last = fence ?? last
        })
        await lock.readLock().withLock(() => undefined)
      }
    })

    test('nothing is left when all have ended', async () => {
      const name = place.lockName()
      const holdfast = place.holdfast()
      const lock = holdfast.readWriteLock(name)
      const sections = Array.from({ length: 12 }, (_, index) =>
        (index % 3 === 0 ? lock.writeLock() : lock.readLock()).withLock(() => undefined),
      )
      await inTime(place, Promise.all(sections))
      await untilIdle(place, holdfast)
    })
  })
}
