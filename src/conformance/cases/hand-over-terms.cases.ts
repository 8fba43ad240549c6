import { beforeEach, describe, expect, test } from 'vitest'
import { LockLostError } from '../../index.js'
import { given } from '../given.js'
import { untilWaiting } from '../idle.js'
import { handingOn, line, seen } from '../line.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** A renewal comes with every third of a lease. */
const MORE_THAN_ONE = 4

/** The lease, the renewals and the losses of a lock that is handed on are those of the call that has it. */
export function handOverTermsCases(place: Place): void {
  describe('hand-over within the process: the terms of the heir', () => {
    /** Short enough to see several leases pass, long enough for a busy machine to renew in time. */
    let watchdogMs = 0
    beforeEach(() => {
      watchdogMs = Math.max(2_400, place.lease(900))
    })

    test('an heir with a lease has exactly that, also where more was left, and is not renewed; then the next gets in', async () => {
      const { lock, renewed, lost } = scene(place, handingOn(place, { watchdogMs }))
      const [hold, [long, short, last]] = await line(
        place,
        lock,
        {},
        { leaseMs: 600_000 },
        { leaseMs: place.lease(700) },
        {},
      )
      await hold.release()
      const first = await long
      expect(await lock.remainingMs()).toBeGreaterThan(500_000)
      await first.release()
      const second = await short
      expect(await lock.remainingMs()).toBeLessThanOrEqual(place.lease(700))
      expect(second.remainingMs()).toBeLessThanOrEqual(place.lease(700))
      const { signal } = second
      await place.eventually(() => signal.aborted)
      expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
      expect(lost).toMatchObject([{ owner: second.owner, reason: 'lease-expired' }])
      expect(renewed.filter(({ owner }) => [first.owner, second.owner].includes(owner))).toEqual([])
      expect(await rejectionOf(second.release())).toBeInstanceOf(LockLostError)
      await (await inTime(place, last)).release()
    })

    test('L1: an heir of a hold that was extended has the watchdog’s lease, and its crash costs no more than that', async () => {
      const { lock } = scene(place, handingOn(place))
      const [hold, [heir]] = await line(place, lock, {}, {})
      await hold.extend(600_000)
      await hold.release()
      await using next = await heir
      expect(await lock.remainingMs()).toBeLessThan(60_000)
      expect(next.remainingMs()).toBeLessThan(60_000)
    })

    test('H18: an heir whose lease ends sooner than the one before: waiters elsewhere do not sleep until that would have', async () => {
      const { lock, lost } = scene(place, handingOn(place))
      const [hold, [short]] = await line(place, lock, { leaseMs: 600_000 }, { leaseMs: place.lease(700) })
      const elsewhere = place.holdfast().lock(lock.name)
      const waiting = elsewhere.acquire()
      waiting.catch(() => undefined)
      await untilWaiting(place, lock, 2)
      await hold.release()
      const heir = await short
      await (await inTime(place, waiting)).release()
      // After a standstill the event loop reads the grant before it runs the timers that are due.
      await place.eventually(() => lost.length > 0)
      expect(lost).toMatchObject([{ owner: heir.owner, reason: 'lease-expired' }])
      expect(await rejectionOf(heir.release())).toBeInstanceOf(LockLostError)
    })

    test('L1: an heir without a lease is renewed, from its grant on, however the lock was held before', async () => {
      const { holdfast, lock, renewed } = scene(place, handingOn(place, { watchdogMs }))
      const [hold, [heir]] = await line(place, lock, { leaseMs: 600_000 }, {})
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
      const lock = handingOn(place).lock(place.lockName())
      const leases = [undefined, 5_000, 7_000, undefined, undefined, 400_000, 3_000, undefined]
      const terms = leases.map((leaseMs) => (leaseMs === undefined ? {} : { leaseMs }))
      const [hold, heirs] = await line(place, lock, { leaseMs: 200_000 }, ...terms)
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
      const { lock, renewed } = scene(place, handingOn(place, { watchdogMs }))
      const [hold, [heir]] = await line(place, lock, {}, { maxHoldMs: Math.floor(watchdogMs * 0.9) })
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
      const { holdfast, lock, renewed } = scene(place, handingOn(place, { watchdogMs }))
      const [hold, [heir]] = await line(place, lock, { maxHoldMs: 1 }, {})
      await place.eventually(() => holdfast.census.watched === 0)
      await hold.release()
      const mine = await heir
      await place.eventually(() => renewed.length >= MORE_THAN_ONE)
      mine.assertHeld()
      await mine.release()
    })

    for (const by of ['another client', 'its own client'] as const) {
      given(place, 'namesHolder')(
        `L6: a loss after a hand-over is the heir’s, and the next gets in (forced open by ${by})`,
        async () => {
          const { holdfast, lock, lost } = scene(place, handingOn(place, { watchdogMs }))
          const [hold, [first, second]] = await line(place, lock, {}, {}, {})
          await hold.release()
          const mine = await first
          const { signal } = mine
          const from = by === 'another client' ? place.holdfast() : holdfast
          expect(await from.lock(lock.name).forceUnlock()).toBe(true)
          const next = await inTime(place, second)
          expect(signal.reason).toMatchObject({
            code: 'LOCK_LOST',
            owner: mine.owner,
            reason: 'not-in-store',
          })
          const standing = lost.filter(({ over }) => !over)
          expect(standing).toMatchObject([{ owner: mine.owner, reason: 'not-in-store' }])
          // Whoever handed it on in memory may have had it no more (H25).
          for (const { owner, over } of lost) expect(over ? hold.owner : mine.owner).toBe(owner)
          expect(await rejectionOf(mine.release())).toBeInstanceOf(LockLostError)
          expect(await seen(place, lock)).toMatchObject([{ owner: next.owner, holds: 1 }])
          next.assertHeld()
          await next.release()
        },
      )
    }
  })
}
