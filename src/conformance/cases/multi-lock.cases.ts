import { afterEach, describe, expect, test } from 'vitest'
import { LockTimeoutError, NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { held, orderOf, several } from '../several.js'

/** A multi-lock, wherever its locks are kept. */
export function multiLockCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  afterEach(() => place.tidy())

  describe(`multi-lock: ${place.name}`, () => {
    test('holds all of its locks for one owner, and frees all', async () => {
      const { holdfast, locks, multi } = several(place, 4)
      const hold = await multi.acquire()
      expect(hold.names).toEqual(locks.map(({ name }) => name))
      for (const lock of locks) {
        expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
        expect(await place.holdfast().lock(lock.name).tryAcquire()).toBeNull()
      }
      hold.assertHeld()
      // Of all members the least, by a clock that has gone on meanwhile.
      const before = hold.holds.map((each) => each.remainingMs())
      expect(hold.remainingMs()).toBeLessThanOrEqual(Math.min(...before))
      expect(hold.remainingMs()).toBeGreaterThan(Math.min(...before) - 5_000)
      await hold.release()
      await hold.release()
      expect(() => hold.assertHeld()).toThrow(NotOwnerError)
      expect(hold.remainingMs()).toBe(0)
      expect(await held(locks)).toEqual([false, false, false, false])
      await untilIdle(place, holdfast)
    })

    whereNamed('W4: one that is held by another: none is taken, and nothing is left', async () => {
      const { holdfast, locks, multi } = several(place, 4)
      for (const [index, busy] of locks.entries()) {
        await using hold = await place.holdfast().lock(busy.name).acquire()
        expect(await multi.tryAcquire()).toBeNull()
        await untilIdle(place, holdfast)
        const error = await rejectionOf(multi.acquire({ waitMs: 0 }))
        expect(error).toBeInstanceOf(LockTimeoutError)
        expect(error).toMatchObject({ lockName: busy.name, holder: hold.owner })
        await untilIdle(place, holdfast)
        expect(await held(locks)).toEqual(locks.map((_, each) => each === index))
      }
    })

    test('W4: a wait that ends gives back what it has got meanwhile, and leaves nobody waiting', async () => {
      const { holdfast, locks, multi } = several(place, 3)
      const last = orderOf(place, locks).at(-1)
      const busy = place.holdfast().lock(last?.name ?? '')
      await using _hold = await busy.acquire({ leaseMs: 600_000 })
      const abort = new AbortController()
      const ends = [
        rejectionOf(multi.acquire({ waitMs: 300 })),
        rejectionOf(multi.acquire({ signal: abort.signal })),
      ]
      await untilWaiting(place, busy, 1)
      abort.abort('enough')
      expect(await ends[1]).toBe('enough')
      expect(await inTime(place, ends[0] ?? Promise.resolve())).toMatchObject({ code: 'LOCK_TIMEOUT' })
      await untilIdle(place, holdfast)
      expect(await held(locks)).toEqual(locks.map(({ name }) => name === busy.name))
    })

    test('waits for each that is held, and gets all', async () => {
      const { locks, multi } = several(place, 3)
      const holds = await Promise.all(
        locks.map((lock) => place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })),
      )
      const waiting = multi.acquire()
      for (const hold of holds) await hold.release()
      await using hold = await waiting
      hold.assertHeld()
      expect(await held(locks)).toEqual([true, true, true])
    })

    test('callers that name the same locks in different orders do not deadlock, and exclude each other', async () => {
      const own = several(place, 3).locks.map(({ name }) => name)
      const holdfasts = [place.holdfast(), place.holdfast(), place.holdfast()]
      const room = new Room()
      const turns = Array.from({ length: 24 }, async (_, turn) => {
        const holdfast = holdfasts[turn % holdfasts.length]
        const [a = '', b = '', c = ''] = own
        const orders = [
          [a, b, c],
          [c, b, a],
          [b, a],
          [c, b],
          [b, c, a],
        ]
        const order = orders[turn % orders.length] ?? own
        await holdfast?.multiLock(order.map((name) => holdfast.lock(name))).withLock(() => room.visit())
      })
      await inTime(place, Promise.all(turns))
      expect(room).toMatchObject({ visits: 24, most: 1 })
    })
  })
}
