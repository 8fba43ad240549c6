import { afterEach, describe, expect, test } from 'vitest'
import { LockLostError } from '../../index.js'
import { untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { held, orderOf, several } from '../several.js'

/** A multi-lock, wherever its locks are kept. */
export function multiLockHoldsCases(place: Place): void {
  afterEach(() => place.tidy())

  describe(`multi-lock, holds: ${place.name}`, () => {
    test('O2: within its section its locks are re-entered, and it is within a section that holds one of them', async () => {
      const holdfast = place.holdfast()
      const [a, b] = several(place, 2, holdfast).locks
      if (!a || !b) throw new Error('two locks')
      await holdfast.multiLock([a, b]).withLock(async (hold) => {
        await a.withLock(async (inner) => {
          expect(inner.owner).toBe(hold.owner)
          expect(await a.holdCount()).toBe(2)
          await holdfast.multiLock([b, a]).withLock(async () => expect(await b.holdCount()).toBe(2))
        })
      })
      await a.withLock(async (outer) => {
        await holdfast.multiLock([a, b]).withLock(async (hold) => {
          expect(hold.owner).toBe(outer.owner)
          expect(await a.holdCount()).toBe(2)
          expect(await b.holdCount()).toBe(1)
        })
        expect(await b.isLocked()).toBe(false)
        expect(await a.holdCount()).toBe(1)
      })
      expect(await held([a, b])).toEqual([false, false])
    })

    test('O2: two sections side by side in one section take turns', async () => {
      const { holdfast, multi } = several(place, 2)
      const room = new Room()
      await holdfast.run(() => Promise.all([1, 2, 3].map(() => multi.withLock(() => room.visit()))))
      expect(room).toMatchObject({ visits: 3, most: 1 })
    })

    test('a hold passes its owner on to what it runs', async () => {
      const { locks, multi } = several(place, 2)
      await using hold = await multi.acquire()
      await hold.run(async () => {
        await using inner = await locks[0]?.acquire()
        expect(inner?.owner).toBe(hold.owner)
      })
    })

    test('L6: the loss of one is the loss of it; the others are given back', async () => {
      const { locks, multi } = several(place, 3)
      const section = multi.withLock(async (hold) => {
        expect(await locks[1]?.forceUnlock()).toBe(true)
        expect(hold.signal.aborted).toBe(true)
        expect(hold.signal.reason).toBeInstanceOf(LockLostError)
        expect(() => hold.assertHeld()).toThrow(LockLostError)
        return 'done'
      })
      expect(await rejectionOf(section)).toMatchObject({
        code: 'LOCK_LOST',
        result: 'done',
        lockName: locks[1]?.name,
      })
      expect(await held(locks)).toEqual([false, false, false])
      const both = await multi.acquire()
      await locks[0]?.forceUnlock()
      await locks[2]?.forceUnlock()
      const error = await rejectionOf(both.release())
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({
        cause: { errors: [expect.any(LockLostError), expect.any(LockLostError)] },
      })
      expect(await held(locks)).toEqual([false, false, false])
      expect(
        await multi.withLock({ onLost: 'continue' }, async () => {
          await locks[0]?.forceUnlock()
          return 'kept'
        }),
      ).toBe('kept')
    })

    test('L1: the watchdog keeps all of them', async () => {
      const { holdfast, locks, multi } = several(place, 2, place.holdfast({ watchdogMs: place.lease(1_800) }))
      const renewed = journalOf(holdfast, 'renewed')
      const hold = await multi.acquire()
      // A renewal comes with every third of a lease: so many are more than a lease.
      await place.eventually(() =>
        locks.every((lock) => renewed.filter(({ name }) => name === lock.name).length >= 4),
      )
      hold.assertHeld()
      expect(await held(locks)).toEqual([true, true])
      await hold.release()
    })

    test('L1: a lease begins when all are held, and ends for all', async () => {
      const holdfast = place.holdfast()
      const lost = journalOf(holdfast, 'lost')
      const locks = several(place, 2, holdfast).locks
      const last = place.holdfast().lock(orderOf(place, locks).at(-1)?.name ?? '')
      const blocker = await last.acquire({ leaseMs: 600_000 })
      const waiting = holdfast.multiLock(locks).acquire({ leaseMs: place.lease(1_800) })
      await untilWaiting(place, last, 1)
      // Longer than the lease: what it has got already is kept meanwhile.
      await place.pass(place.lease(2_400))
      await blocker.release()
      const hold = await waiting
      hold.assertHeld()
      expect(hold.remainingMs()).toBeGreaterThan(100)
      expect(lost).toEqual([])
      await place.eventually(async () => !(await held(locks)).includes(true))
      expect(() => hold.assertHeld()).toThrow(LockLostError)
    })

    test('one that is lost while the others are waited for is not taken for held', async () => {
      const { locks, multi } = several(place, 2)
      const [first, last] = orderOf(place, locks)
      const far = place.holdfast().lock(last?.name ?? '')
      const blocker = await far.acquire({ leaseMs: 600_000 })
      const waiting = multi.acquire()
      await place.eventually(() => first?.isLocked() ?? false)
      await first?.forceUnlock()
      await blocker.release()
      await using hold = await inTime(place, waiting)
      hold.assertHeld()
      for (const lock of locks)
        expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
    })
  })
}
