import { describe, expect, test } from 'vitest'
import { NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { untilWaiting } from '../idle.js'
import { handingOn, line, seen } from '../line.js'
import { rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Hand-over from call to call of one process. What bounds it is tested in unit/hand-over.test.ts, what it costs in costs/. */
export function handOverCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('hand-over within the process', () => {
    whereNamed(
      'under the watchdog the lock goes to the next in line and is free for nobody in between',
      async () => {
        const { lock, far } = scene(place, handingOn(place))
        const [hold, heirs] = await line(place, lock, {}, {}, {}, {}, {})
        const states = new Set<string>()
        let over = false
        const looking = (async () => {
          while (!over) {
            states.add(JSON.stringify((await far.inspect()).owners.map(({ holds }) => holds)))
            expect(await far.tryAcquire()).toBeNull()
            await new Promise((resolve) => setImmediate(resolve))
          }
        })()
        let before = hold
        for (const heir of heirs) {
          await before.release()
          before = await heir
          before.assertHeld()
          expect(await far.tryAcquire()).toBeNull()
        }
        over = true
        await looking
        expect([...states]).toEqual(['[1]'])
        await before.release()
        expect(await far.isLocked()).toBe(false)
      },
    )

    test('W3: first in, first out, whatever the terms of each', async () => {
      const lock = handingOn(place).lock(place.lockName())
      const hold = await lock.acquire()
      const order: number[] = []
      const sections = Array.from({ length: 12 }, (_, number) =>
        lock.withLock(number % 3 === 1 ? { leaseMs: 60_000 } : {}, () => order.push(number)),
      )
      await untilWaiting(place, lock, 1)
      await hold.release()
      await Promise.all(sections)
      expect(order).toEqual(sections.map((_, number) => number))
      expect(await lock.isLocked()).toBe(false)
    })

    test('each hold is acquired and released once; the one is told before the next', async () => {
      const { holdfast, lock } = scene(place, handingOn(place))
      const [hold, heirs] = await line(place, lock, {}, {}, { leaseMs: 60_000 }, {})
      const told: unknown[] = []
      for (const event of ['acquired', 'released', 'lost', 'error'] as const)
        holdfast.on(event, (entry: unknown) => told.push([event, entry]))
      const about = (owner: string, holdCount: number) => ({ name: lock.name, owner, holdCount })
      const expected: unknown[] = []
      let before = hold
      for (const heir of heirs) {
        await before.release()
        expected.push(['released', about(before.owner, 0)])
        before = await heir
        expected.push(['acquired', { ...about(before.owner, 1), waitedMs: expect.any(Number) }])
      }
      await before.release()
      expect(told).toEqual([...expected, ['released', about(before.owner, 0)]])
    })

    test('O2: a sibling of the previous owner waits for its turn; a reentrant call of the heir gets in', async () => {
      const { holdfast, lock } = scene(place, handingOn(place))
      const order: string[] = []
      const enter = (who: string) => () => {
        order.push(who)
      }
      const hold = await lock.acquire()
      const stranger = lock.withLock(async () => {
        order.push('stranger')
        await lock.withLock(enter('nested'))
        await lock.withLock({ leaseMs: 60_000 }, enter('nested again'))
        order.push('stranger ends')
      })
      const siblings = holdfast.run(() =>
        Promise.all([lock.withLock(enter('first sibling')), lock.withLock(enter('second sibling'))]),
      )
      const nephew = hold.run(() => lock.withLock(enter('within the first hold')))
      await nephew
      await untilWaiting(place, lock, 1)
      const last = lock.withLock(enter('last'))
      const late = hold.run(() => lock.acquire())
      await (await late).release()
      await hold.release()
      await Promise.all([stranger, siblings, last])
      expect(order).toEqual([
        'within the first hold',
        'stranger',
        'nested',
        'nested again',
        'stranger ends',
        'first sibling',
        'second sibling',
        'last',
      ])
      expect(await lock.isLocked()).toBe(false)
    })

    whereNamed(
      'a single attempt is refused while the lock is handed on, also for the owner the store has it down to',
      async () => {
        const lock = handingOn(place).lock(place.lockName())
        const [hold, [heir]] = await line(place, lock, {}, {})
        const { owner } = hold
        await hold.release()
        const mine = await heir
        expect(await seen(place, lock)).toMatchObject([{ owner, holds: 1 }])
        expect(await lock.tryAcquire()).toBeNull()
        expect(await lock.tryAcquire({ owner })).toBeNull()
        expect(await lock.tryLock({ owner })).toBe(false)
        expect(await rejectionOf(lock.acquire({ waitMs: 0, owner }))).toMatchObject({ holder: mine.owner })
        expect(await place.holdfast().lock(lock.name).tryAcquire()).toBeNull()
        expect(await seen(place, lock)).toMatchObject([{ owner, holds: 1 }])
        const again = lock.acquire({ owner })
        await untilWaiting(place, lock, 1)
        await mine.release()
        expect((await again).owner).toBe(owner)
        await (await again).release()
        expect(await lock.isLocked()).toBe(false)
      },
    )

    test('lock() and unlock() hand on too, nested ones with the last', async () => {
      const { holdfast, lock } = scene(place, handingOn(place))
      const order: number[] = []
      const thread = (number: number) => () =>
        holdfast.run(async () => {
          await lock.lock()
          order.push(number)
          await lock.lock(number % 2 === 0 ? {} : { leaseMs: 60_000 })
          expect(await lock.holdCount()).toBe(2)
          await lock.unlock()
          expect(await lock.holdCount()).toBe(1)
          await lock.unlock()
          expect(await rejectionOf(lock.unlock())).toBeInstanceOf(NotOwnerError)
          expect(await lock.isHeld()).toBe(false)
        })
      await Promise.all([0, 1, 2, 3, 4].map((number) => thread(number)()))
      expect(order).toEqual([0, 1, 2, 3, 4])
      expect(await lock.isLocked()).toBe(false)
    })

    for (const options of [{ maxHandOvers: 0 }, { handOverSliceMs: 0 }]) {
      whereNamed(`with ${JSON.stringify(options)} each release is a real one`, async () => {
        const lock = place.holdfast(options).lock(place.lockName())
        const [hold, heirs] = await line(place, lock, {}, {}, { leaseMs: 60_000 }, {})
        let before = hold
        for (const heir of heirs) {
          await before.release()
          before = await heir
          expect(await seen(place, lock)).toMatchObject([{ owner: before.owner, holds: 1 }])
        }
        await before.release()
        expect(await lock.isLocked()).toBe(false)
      })
    }
  })
}
