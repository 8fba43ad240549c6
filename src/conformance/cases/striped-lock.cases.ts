import { afterEach, describe, expect, test } from 'vitest'
import { InvalidArgumentError, LockTimeoutError, type StripedLock, type StripeHold } from '../../index.js'
import { given } from '../given.js'
import { countWaitingClients, untilIdle } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'

/** A striped lock, wherever its stripes are kept. */
export function stripedLockCases(place: Place): void {
  const wherePushed = given(place, 'push')
  afterEach(() => place.tidy())

  /** For how many of the stripes somebody waits. */
  async function countWaiting(striped: StripedLock): Promise<number> {
    const stripes = Array.from({ length: striped.stripes }, (_, index) => striped.stripe(index))
    const counts = await Promise.all(stripes.map((stripe) => countWaitingClients(place, stripe)))
    return counts.filter((count) => count > 0).length
  }

  describe(`striped lock: ${place.name}`, () => {
    test('a key has its stripe, which is the plain lock of that name', async () => {
      const holdfast = place.holdfast()
      const striped = holdfast.stripedLock(place.lockName(), 20)
      const index = striped.indexOf('item:42')
      expect(striped.forKey('item:42').name).toBe(`${striped.name}:${index}`)
      await striped.withLock('item:42', async (hold) => {
        expect(hold.name).toBe(`${striped.name}:${index}`)
        expect(await place.holdfast().lock(hold.name).tryAcquire()).toBeNull()
        // Another key of the same stripe is re-entered and not waited for.
        await striped.stripe(index).withLock({ waitMs: 0 }, () => undefined)
      })
      expect(await striped.withLock('item:42', { waitMs: 10_000 }, () => 'result')).toBe('result')
      expect(await striped.stripe(index).isLocked()).toBe(false)
    })

    test('as many as there are stripes get one each, one more does not', async () => {
      const striped = place.holdfast().stripedLock(place.lockName(), 5)
      const others = place.holdfast().stripedLock(striped.name, 5)
      const holds: StripeHold[] = []
      for (let turn = 0; turn < 5; turn += 1) {
        const hold = await (turn % 2 === 0 ? striped : others).tryAcquireAny()
        if (hold) holds.push(hold)
      }
      expect(holds.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4])
      expect(holds.map(({ name }) => name).sort()).toEqual(
        [0, 1, 2, 3, 4].map((index) => `${striped.name}:${index}`),
      )
      expect(await striped.tryAcquireAny()).toBeNull()
      const error = await rejectionOf(inTime(place, others.acquireAny({ waitMs: 150 })))
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(error).toMatchObject({ lockName: striped.name })
      await Promise.all(holds.map((hold) => hold.release()))
    })

    test('the only one that is free is found', async () => {
      const striped = place.holdfast().stripedLock(place.lockName(), 8)
      const other = place.holdfast().stripedLock(striped.name, 8)
      for (let free = 0; free < 8; free += 1) {
        const holds = await Promise.all(
          Array.from({ length: 8 }, (_, index) => (index === free ? null : other.stripe(index).acquire())),
        )
        const hold = await striped.tryAcquireAny()
        expect(hold?.index).toBe(free)
        await hold?.release()
        await Promise.all(holds.map((each) => each?.release()))
      }
    })

    wherePushed('W4: if none is free the first that comes is taken, and the others are left', async () => {
      const holdfast = place.holdfast()
      const striped = holdfast.stripedLock(place.lockName(), 6)
      const other = place.holdfast().stripedLock(striped.name, 6)
      const holds = await Promise.all(Array.from({ length: 6 }, () => other.acquireAny({ leaseMs: 600_000 })))
      const waiting = striped.acquireAny()
      await place.eventually(async () => (await countWaiting(other)) === 6)
      const [first, ...rest] = holds
      await first?.release()
      const hold = await waiting
      expect(hold.index).toBe(first?.index)
      await place.eventually(async () => (await countWaiting(other)) === 0)
      // The server's answers to that arrive a moment later.
      await place.eventually(() => holdfast.census.orphans === 0)
      expect(holdfast.census).toMatchObject({ calls: 0, tenures: 1 })
      // All that come at once are not all taken.
      const next = striped.acquireAny()
      await place.eventually(async () => (await countWaiting(other)) > 0)
      await Promise.all(rest.map((each) => each.release()))
      const second = await next
      await place.eventually(() => holdfast.census.tenures === 2)
      await hold.release()
      await second.release()
      await untilIdle(place, holdfast)
    })

    test('W4: an abort ends the wait for all of them', async () => {
      const holdfast = place.holdfast()
      const striped = holdfast.stripedLock(place.lockName(), 6)
      const other = place.holdfast().stripedLock(striped.name, 6)
      const holds = await Promise.all(Array.from({ length: 6 }, () => other.acquireAny({ leaseMs: 600_000 })))
      const abort = new AbortController()
      const waiting = rejectionOf(striped.acquireAny({ signal: abort.signal }))
      await place.eventually(() => holdfast.census.calls === 6)
      abort.abort('enough')
      expect(await waiting).toBe('enough')
      await untilIdle(place, holdfast)
      await Promise.all(holds.map((hold) => hold.release()))
    })

    test('O2: nested in a section with the only stripe, it is re-entered; side by side they take turns', async () => {
      const striped = place.holdfast().stripedLock(place.lockName(), 1)
      const room = new Room()
      await striped.withAny(async (outer) => {
        await striped.withAny(async (inner) => expect(inner.owner).toBe(outer.owner))
        expect(await striped.stripe(0).holdCount()).toBe(1)
        const again = await striped.tryAcquireAny()
        expect(again?.index).toBe(0)
        await again?.release()
        await Promise.all([1, 2, 3].map(() => striped.withAny(() => room.visit())))
      })
      expect(room).toMatchObject({ visits: 3, most: 1 })
      expect(await striped.stripe(0).isLocked()).toBe(false)
    })

    test('capacity: 12 callers in two processes on 4 stripes, never two on one, and all get their turn', async () => {
      const name = place.lockName()
      const clients = [place.holdfast(), place.holdfast()].map((holdfast) => holdfast.stripedLock(name, 4))
      const rooms = Array.from({ length: 4 }, () => new Room())
      const calls = Array.from({ length: 12 }, async (_, call) => {
        for (let round = 0; round < 3; round += 1)
          await clients[call % 2]?.withAny(({ index }) => rooms[index]?.visit())
      })
      await inTime(place, Promise.all(calls))
      expect(Math.max(...rooms.map(({ most }) => most))).toBe(1)
      expect(rooms.reduce((sum, { visits }) => sum + visits, 0)).toBe(36)
    })

    test('bad input: a typed error, and nothing sent', async () => {
      const holdfast = place.holdfast()
      for (const stripes of [0, -1, 1.5, Number.NaN, 65_537, undefined, '3']) {
        expect(() => Reflect.apply(holdfast.stripedLock, holdfast, ['name', stripes])).toThrow(
          InvalidArgumentError,
        )
      }
      const striped = holdfast.stripedLock(place.lockName(), 65_536)
      for (const index of [-1, 65_536, 0.5]) expect(() => striped.stripe(index)).toThrow(InvalidArgumentError)
      for (const key of [undefined, 7, '\ud800']) {
        expect(() => Reflect.apply(striped.forKey, striped, [key])).toThrow(InvalidArgumentError)
      }
      await expect(striped.acquireAny({ waitMs: -1 })).rejects.toBeInstanceOf(InvalidArgumentError)
    })
  })
}
