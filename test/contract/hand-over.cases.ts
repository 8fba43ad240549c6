import { describe, expect, test } from 'vitest'
import {
  type AcquireOptions,
  type Hold,
  type Holdfast,
  type Lock,
  LockLostError,
  LockTimeoutError,
  NotOwnerError,
} from '../../src/index.js'
import type { Place } from '../setup/places.js'
import { untilIdle, untilWaiting } from './idle.js'
import { journalOf } from './journal.js'
import { inTime, rejectionOf } from './outcome.js'

/** Short enough to see several leases pass, long enough for a busy machine to renew in time. */
const watchdogMs = 900
/** A renewal comes with every third of a lease. */
const MORE_THAN_ONE = 4

/** Hand-over from call to call of one process. What bounds it is tested in unit/hand-over.test.ts, what it costs in costs/. */
export function handOverCases(place: Place): void {
  describe('hand-over within the process', () => {
    /** However slow the machine, the time slice does not end meanwhile. */
    const handingOn = (options = {}): Holdfast =>
      place.holdfast({ handOverSliceMs: Number.POSITIVE_INFINITY, ...options })

    /** A lock that a call of its own process holds, and calls that wait for it: each released hold goes to the next. */
    async function line<Terms extends readonly AcquireOptions[]>(
      lock: Lock,
      terms: AcquireOptions,
      ...others: Terms
    ): Promise<[Hold, { [Index in keyof Terms]: Promise<Hold> }]>
    async function line(
      lock: Lock,
      terms: AcquireOptions,
      ...others: AcquireOptions[]
    ): Promise<[Hold, Promise<Hold>[]]> {
      const hold = await lock.acquire(terms)
      const waits = others.map((options) => lock.acquire(options))
      for (const wait of waits) wait.catch(() => undefined)
      await untilWaiting(place, lock, 1)
      return [hold, waits]
    }

    /** Who has the lock as another client sees it: by the name the store has for them. */
    const seen = async (lock: Lock): Promise<unknown> =>
      (await place.holdfast().lock(lock.name).inspect()).owners

    test('under the watchdog the lock goes to the next in line and is free for nobody in between', async () => {
      const lock = handingOn().lock(place.lockName())
      const far = place.holdfast().lock(lock.name)
      const [hold, heirs] = await line(lock, {}, {}, {}, {}, {})
      const states = new Set<string>()
      let over = false
      const looking = (async () => {
        while (!over) {
          states.add(JSON.stringify((await far.inspect()).owners))
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
      expect([...states]).toEqual([JSON.stringify([{ owner: hold.owner, holds: 1 }])])
      await before.release()
      expect(await far.isLocked()).toBe(false)
    })

    test('W3: first in, first out, whatever the terms of each', async () => {
      const lock = handingOn().lock(place.lockName())
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

    for (const [terms, options] of [
      ['with a lease', { leaseMs: 60_000 }],
      ['under the watchdog', {}],
    ] as const) {
      test(`O1: the heir’s hold is as good as any other, and its client names it as the holder (${terms})`, async () => {
        const holdfast = handingOn()
        const lock = holdfast.lock(place.lockName())
        const [hold, [heir]] = await line(lock, {}, options)
        await hold.release()
        const mine = await heir
        expect(mine.owner).not.toBe(hold.owner)
        mine.assertHeld()
        expect(mine.remainingMs()).toBeGreaterThan(20_000)
        expect(mine.signal.aborted).toBe(false)
        const inner = await mine.run(() => lock.acquire())
        expect(inner.owner).toBe(mine.owner)
        const owners = [{ owner: mine.owner, holds: 2 }]
        expect((await lock.inspect()).owners).toEqual(owners)
        for await (const state of holdfast.list(lock.name)) expect(state).toMatchObject({ owners })
        expect(await lock.holdCount(mine.owner)).toBe(2)
        expect(await lock.isHeld(hold.owner)).toBe(false)
        expect(await mine.run(() => lock.isHeld())).toBe(true)
        expect(await rejectionOf(lock.acquire({ waitMs: 0 }))).toMatchObject({ holder: mine.owner })
        await inner.release()
        expect(await mine.run(() => lock.holdCount())).toBe(1)
        await mine.release()
        expect(() => mine.assertHeld()).toThrow(NotOwnerError)
        expect(await lock.isLocked()).toBe(false)
      })

      test(`O5: the previous owner’s unlock is a NotOwnerError, and changes nothing (${terms})`, async () => {
        const holdfast = handingOn()
        const lock = holdfast.lock(place.lockName())
        const owner = holdfast.owner()
        await lock.lock({ owner })
        const heir = lock.acquire(options)
        await untilWaiting(place, lock, 1)
        await lock.unlock({ owner })
        const mine = await heir
        const before = await seen(lock)
        const error = await rejectionOf(lock.unlock({ owner }))
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ owner, holder: mine.owner })
        expect(await seen(lock)).toEqual(before)
        mine.assertHeld()
        await mine.release()
      })

      test(`O5: the previous hold’s second release does nothing (${terms})`, async () => {
        const lock = handingOn().lock(place.lockName())
        const [hold, [heir]] = await line(lock, {}, options)
        await Promise.all([hold.release(), hold.release()])
        const mine = await heir
        const before = await seen(lock)
        await hold.release()
        expect(() => hold.assertHeld()).toThrow(NotOwnerError)
        expect(hold.remainingMs()).toBe(0)
        expect(await seen(lock)).toEqual(before)
        await mine.release()
        expect(await lock.isLocked()).toBe(false)
      })

      test(`W4: an heir that is aborted around the hand-over leaves nothing; the next gets in (${terms})`, async () => {
        for (let turns = -1; turns < 5; turns += 1) {
          const holdfast = handingOn()
          const lock = holdfast.lock(place.lockName())
          const abort = new AbortController()
          const [hold, [first, second]] = await line(lock, {}, { ...options, signal: abort.signal }, options)
          if (turns < 0) abort.abort()
          const releasing = hold.release()
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
          abort.abort()
          // Once it has the lock the signal has no effect.
          await first.then(
            (mine) => mine.release(),
            (error: unknown) => expect(error).toBe(abort.signal.reason),
          )
          await releasing
          await (await second).release()
          await untilIdle(place, holdfast)
          expect(await lock.isLocked()).toBe(false)
        }
      })

      test(`W5: an heir whose time ends around the hand-over leaves nothing (${terms})`, async () => {
        for (const early of [2, 1, 0, -1]) {
          const holdfast = handingOn()
          const lock = holdfast.lock(place.lockName())
          const [hold, [heir]] = await line(lock, {}, { ...options, waitMs: 150 })
          await place.pass(150 - early)
          const releasing = hold.release()
          await inTime(
            place,
            heir.then(
              (mine) => mine.release(),
              (error: unknown) => expect(error).toBeInstanceOf(LockTimeoutError),
            ),
          )
          await releasing
          await untilIdle(place, holdfast)
          expect(await lock.isLocked()).toBe(false)
        }
      })
    }

    test('an heir with a lease has exactly that, also where more was left, and is not renewed; then the next gets in', async () => {
      const holdfast = handingOn({ watchdogMs })
      const lock = holdfast.lock(place.lockName())
      const [renewed, lost] = [journalOf(holdfast, 'renewed'), journalOf(holdfast, 'lost')]
      const [hold, [long, short, last]] = await line(lock, {}, { leaseMs: 600_000 }, { leaseMs: 700 }, {})
      await hold.release()
      const first = await long
      expect(await lock.remainingMs()).toBeGreaterThan(500_000)
      await first.release()
      const second = await short
      expect(await lock.remainingMs()).toBeLessThanOrEqual(700)
      expect(second.remainingMs()).toBeLessThanOrEqual(700)
      const { signal } = second
      await place.eventually(() => signal.aborted)
      expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
      expect(lost).toMatchObject([{ owner: second.owner, reason: 'lease-expired' }])
      expect(renewed.filter(({ owner }) => [first.owner, second.owner].includes(owner))).toEqual([])
      expect(await rejectionOf(second.release())).toBeInstanceOf(LockLostError)
      await (await inTime(place, last)).release()
    })

    test('L1: an heir without a lease is renewed, from its grant on, however the lock was held before', async () => {
      const holdfast = handingOn({ watchdogMs })
      const lock = holdfast.lock(place.lockName())
      const renewed = journalOf(holdfast, 'renewed')
      const [hold, [heir]] = await line(lock, { leaseMs: 600_000 }, {})
      await hold.release()
      const mine = await heir
      expect(await lock.remainingMs()).toBeLessThanOrEqual(watchdogMs)
      await place.eventually(() => renewed.length >= MORE_THAN_ONE)
      expect(new Set(renewed.map(({ owner }) => owner))).toEqual(new Set([mine.owner]))
      mine.assertHeld()
      await mine.release()
      expect(holdfast.census).toMatchObject({ watched: 0, tenures: 0 })
    })

    test('L1: each of a chain has its own terms in the store, and the lock is free after the last', async () => {
      const lock = handingOn().lock(place.lockName())
      const leases = [undefined, 5_000, 7_000, undefined, undefined, 400_000, 3_000, undefined]
      const terms = leases.map((leaseMs) => (leaseMs === undefined ? {} : { leaseMs }))
      const [hold, heirs] = await line(lock, { leaseMs: 200_000 }, ...terms)
      let before = hold
      for (const [index, heir] of heirs.entries()) {
        await before.release()
        before = await heir
        const leaseMs = leases[index] ?? 30_000
        for (const left of [before.remainingMs(), await lock.remainingMs()]) {
          expect(left).toBeLessThanOrEqual(leaseMs)
          // In memory the lease is not begun anew: it goes on with what was left of it.
          expect(left).toBeGreaterThan(leaseMs / 3)
        }
      }
      await before.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('L5: the heir’s maxHoldMs counts from its own grant', async () => {
      const holdfast = handingOn({ watchdogMs })
      const lock = holdfast.lock(place.lockName())
      const renewed = journalOf(holdfast, 'renewed')
      const [hold, [heir]] = await line(lock, {}, { maxHoldMs: 1_000 })
      await place.eventually(() => renewed.length >= MORE_THAN_ONE)
      await hold.release()
      const mine = await heir
      const { signal } = mine
      await place.eventually(() => signal.aborted)
      const renewals = renewed.filter(({ owner }) => owner === mine.owner).length
      expect(renewals).toBeGreaterThanOrEqual(1)
      expect(renewals).toBeLessThanOrEqual(4)
      expect(await rejectionOf(mine.release())).toBeInstanceOf(LockLostError)
    })

    test('L5: an heir is renewed also when the time of the hold before it was over', async () => {
      const holdfast = handingOn({ watchdogMs })
      const lock = holdfast.lock(place.lockName())
      const renewed = journalOf(holdfast, 'renewed')
      const [hold, [heir]] = await line(lock, { maxHoldMs: 1 }, {})
      await place.eventually(() => holdfast.census.watched === 0)
      await hold.release()
      const mine = await heir
      await place.eventually(() => renewed.length >= MORE_THAN_ONE)
      mine.assertHeld()
      await mine.release()
    })

    for (const by of ['another client', 'its own client'] as const) {
      test(`L6: a loss after a hand-over is the heir’s, and the next gets in (forced open by ${by})`, async () => {
        const holdfast = handingOn({ watchdogMs })
        const lock = holdfast.lock(place.lockName())
        const lost = journalOf(holdfast, 'lost')
        const [hold, [first, second]] = await line(lock, {}, {}, {})
        await hold.release()
        const mine = await first
        const { signal } = mine
        const from = by === 'another client' ? place.holdfast() : holdfast
        expect(await from.lock(lock.name).forceUnlock()).toBe(true)
        const next = await inTime(place, second)
        expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', owner: mine.owner, reason: 'not-in-store' })
        expect(lost).toMatchObject([{ owner: mine.owner, reason: 'not-in-store' }])
        expect(await rejectionOf(mine.release())).toBeInstanceOf(LockLostError)
        expect(await seen(lock)).toEqual([{ owner: next.owner, holds: 1 }])
        next.assertHeld()
        await next.release()
      })
    }

    test('each hold is acquired and released once; the one is told before the next', async () => {
      const holdfast = handingOn()
      const lock = holdfast.lock(place.lockName())
      const [hold, heirs] = await line(lock, {}, {}, { leaseMs: 60_000 }, {})
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
      const holdfast = handingOn()
      const lock = holdfast.lock(place.lockName())
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

    test('a single attempt is refused while the lock is handed on, also for the owner the store has it down to', async () => {
      const lock = handingOn().lock(place.lockName())
      const [hold, [heir]] = await line(lock, {}, {})
      const { owner } = hold
      await hold.release()
      const mine = await heir
      expect(await seen(lock)).toEqual([{ owner, holds: 1 }])
      expect(await lock.tryAcquire()).toBeNull()
      expect(await lock.tryAcquire({ owner })).toBeNull()
      expect(await lock.tryLock({ owner })).toBe(false)
      expect(await rejectionOf(lock.acquire({ waitMs: 0, owner }))).toMatchObject({ holder: mine.owner })
      expect(await place.holdfast().lock(lock.name).tryAcquire()).toBeNull()
      expect(await seen(lock)).toEqual([{ owner, holds: 1 }])
      const again = lock.acquire({ owner })
      await untilWaiting(place, lock, 1)
      await mine.release()
      expect((await again).owner).toBe(owner)
      await (await again).release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('lock() and unlock() hand on too, nested ones with the last', async () => {
      const holdfast = handingOn()
      const lock = holdfast.lock(place.lockName())
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
      test(`with ${JSON.stringify(options)} each release is a real one`, async () => {
        const lock = place.holdfast(options).lock(place.lockName())
        const [hold, heirs] = await line(lock, {}, {}, { leaseMs: 60_000 }, {})
        let before = hold
        for (const heir of heirs) {
          await before.release()
          before = await heir
          expect(await seen(lock)).toEqual([{ owner: before.owner, holds: 1 }])
        }
        await before.release()
        expect(await lock.isLocked()).toBe(false)
      })
    }
  })
}
