import { beforeEach, describe, expect, test } from 'vitest'
import { LockLostError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** A renewal comes with every third of a lease: so many are more than a lease, and more than two. */
const MORE_THAN_ONE = 4
const MORE_THAN_TWO = 7

/** What is renewed, and for how long: rules L1 and L5. */
export function watchdogCases(place: Place): void {
  describe('the watchdog', () => {
    /** Short enough to see several leases pass, long enough for a busy machine to renew in time. */
    let watchdogMs = 0
    beforeEach(() => {
      watchdogMs = Math.max(2_400, place.lease(900))
    })
    const placesForMaxHold = {
      'of the client': (maxHoldMs: number) => ({ holdfast: { maxHoldMs }, call: {} }),
      'of the call': (maxHoldMs: number) => ({ holdfast: {}, call: { maxHoldMs } }),
      'of the call over that of the client': (maxHoldMs: number) => ({
        holdfast: { maxHoldMs: 60_000 },
        call: { maxHoldMs },
      }),
    }

    test('L1: a hold without a lease time is kept over several leases, and others stay out', async () => {
      const { lock, far, renewed, lost } = scene(place, place.holdfast({ watchdogMs }))
      const hold = await lock.acquire()
      await place.eventually(() => renewed.length >= MORE_THAN_TWO || lost.length > 0)
      expect(lost).toEqual([])
      expect(await far.tryAcquire()).toBeNull()
      hold.assertHeld()
      expect(hold.remainingMs()).toBeLessThanOrEqual(watchdogMs)
      await hold.release()
      expect(await far.isLocked()).toBe(false)
    })

    given(place, 'namesHolder')(
      'L1: a leased hold nested in a watched one is renewed as long as the outer needs it',
      async () => {
        const { lock, far, owner, renewed, lost } = scene(place, place.holdfast({ watchdogMs }))
        const outer = await lock.acquire({ owner })
        const inner = await lock.acquire({ owner, leaseMs: place.lease(100) })
        await place.eventually(() => renewed.length >= MORE_THAN_ONE || lost.length > 0)
        inner.assertHeld()
        await inner.release()
        const before = renewed.length
        await place.eventually(() => renewed.length > before || lost.length > 0)
        expect(lost).toEqual([])
        expect(await far.holdCount(owner)).toBe(1)
        outer.assertHeld()
        await outer.release()
        expect(await far.isLocked()).toBe(false)
      },
    )

    test('L1: a watched hold nested in a leased one renews while it lasts; then the lease runs out', async () => {
      const { holdfast, lock, owner, renewed, lost } = scene(place, place.holdfast({ watchdogMs }))
      // The inner hold must be there before the outer one’s lease ends: not the time to make a connection.
      expect(await lock.isLocked()).toBe(false)
      const outer = await lock.acquire({ owner, leaseMs: Math.floor(watchdogMs / 2) })
      const inner = await lock.acquire({ owner })
      // Two thirds of the watchdog’s lease are more than the lease of the outer hold.
      await place.eventually(() => renewed.length >= 2)
      outer.assertHeld()
      await inner.release()
      expect(holdfast.census.watched).toBe(0)
      const before = renewed.length
      expect(await lock.holdCount(owner)).toBe(1)
      await using _next = await inTime(place, place.holdfast().lock(lock.name).acquire())
      expect(renewed).toHaveLength(before)
      // Where the event loop stood still the grant may be read before the timers run that are due.
      await place.eventually(() => lost.length > 0)
      expect(lost).toMatchObject([{ owner, reason: 'lease-expired' }])
      expect(await rejectionOf(outer.release())).toBeInstanceOf(LockLostError)
    })

    test('L1: the terms of one lock are not those of another, nor those of an earlier hold of the same', async () => {
      const holdfast = place.holdfast({ watchdogMs })
      const [watched, leased] = [holdfast.lock(place.lockName()), holdfast.lock(place.lockName())]
      await leased.withLock(() => undefined)
      const [renewed, lost] = [journalOf(holdfast, 'renewed'), journalOf(holdfast, 'lost')]
      const keeps = await watched.acquire()
      await leased.acquire({ leaseMs: place.lease(100) })
      await place.eventually(() => renewed.length >= 3)
      expect(new Set(renewed.map(({ name }) => name))).toEqual(new Set([watched.name]))
      expect(lost).toMatchObject([{ name: leased.name }])
      keeps.assertHeld()
      await keeps.release()
    })

    test('L5: the watchdog ends with the last release, and nothing is left of it', async () => {
      const { holdfast, lock, owner, renewed } = scene(place, place.holdfast({ watchdogMs }))
      const [outer, inner] = [await lock.acquire({ owner }), await lock.acquire({ owner })]
      expect(holdfast.census).toMatchObject({ tenures: 1, watched: 1 })
      await outer.release()
      expect(holdfast.census.watched).toBe(1)
      const last = inner.release()
      await last
      expect(holdfast.census.watched).toBe(0)
      await untilIdle(place, holdfast)
      const soFar = renewed.length
      // Another client's lease on the same lock is not renewed by us.
      const far = place.holdfast()
      await far.lock(lock.name).acquire({ leaseMs: place.lease(200) })
      // We acquire with an explicit lease: the watchdog may renew any other hold before we release it.
      await (await inTime(place, lock.acquire({ leaseMs: 600_000 }))).release()
      expect(renewed).toHaveLength(soFar)
    })

    test('L5: a refused, an aborted and a timed-out acquisition leave no watchdog behind', async () => {
      const { holdfast, lock } = scene(place, place.holdfast({ watchdogMs }))
      await using hold = await place.holdfast().lock(lock.name).acquire()
      const abort = new AbortController()
      const aborted = rejectionOf(lock.acquire({ signal: abort.signal }))
      const timedOut = rejectionOf(lock.acquire({ waitMs: 30 }))
      expect(await lock.tryAcquire()).toBeNull()
      abort.abort()
      await inTime(place, Promise.all([aborted, timedOut]))
      await untilIdle(place, holdfast)
      hold.assertHeld()
    })

    test('L5: maxHoldMs, of the client, of the call or of both, ends the renewal of a task that hangs', async () => {
      const hung = Object.entries(placesForMaxHold).map(async ([where, settingsFor]) => {
        const settings = settingsFor(Math.floor(watchdogMs * 0.9))
        const { lock, renewed, lost } = scene(place, place.holdfast({ watchdogMs, ...settings.holdfast }))
        const hold = await lock.acquire(settings.call)
        return { where, hold, renewed, lost, next: await place.holdfast().lock(lock.name).acquire() }
      })
      for (const { where, hold, renewed, lost, next } of await inTime(place, Promise.all(hung))) {
        expect(renewed.length, where).toBeGreaterThan(0)
        expect(renewed.length, where).toBeLessThanOrEqual(3)
        await place.eventually(() => lost.length > 0)
        expect(lost, where).toMatchObject([{ owner: hold.owner, reason: 'lease-expired' }])
        expect(hold.signal.aborted, where).toBe(true)
        await next.release()
      }
    })

    test('L5: without a release the lock of a client that is gone is free after its watchdog time', async () => {
      const gone = place.holdfast({ watchdogMs })
      const lock = gone.lock(place.lockName())
      await lock.acquire()
      await gone.close()
      await using _next = await inTime(place, place.holdfast().lock(lock.name).acquire())
    })
  })
}
