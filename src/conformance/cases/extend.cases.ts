import { describe, expect, test } from 'vitest'
import { InvalidArgumentError, LockLostError, NotOwnerError } from '../../index.js'
import { rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** More lease time on request: `hold.extend`. */
export function extendCases(place: Place): void {
  describe('extend', () => {
    test('L1: a lease that was extended lasts so long from the extension on, here and in the store', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const hold = await lock.acquire({ leaseMs: 20_000 })
      const leftMs = await hold.extend(60_000)
      expect(leftMs).toBeGreaterThan(40_000)
      expect(leftMs).toBeLessThan(60_000)
      expect(hold.remainingMs()).toBeGreaterThan(40_000)
      const far = place.holdfast().lock(lock.name)
      const inStoreMs = await far.remainingMs()
      expect(inStoreMs).toBeGreaterThan(40_000)
      expect(inStoreMs).toBeGreaterThan(hold.remainingMs())
      await hold.release()
      expect(await far.isLocked()).toBe(false)
    })

    test('L1: a hold outlives its first lease for as long as was asked for, and is not renewed beyond that', async () => {
      const leaseMs = place.lease(1_350)
      const { lock, far, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs })
      await hold.extend(2 * leaseMs)
      await place.pass(leaseMs)
      expect(await far.tryAcquire()).toBeNull()
      hold.assertHeld()
      await place.eventually(() => lost.length > 0)
      expect(lost).toMatchObject([{ name: lock.name, reason: 'lease-expired' }])
      expect(await rejectionOf(hold.extend(leaseMs))).toBe(hold.signal.reason)
    })

    test('L2: an extension never shortens the time left', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await using hold = await lock.acquire({ leaseMs: 60_000 })
      expect(await hold.extend(place.lease(100))).toBeGreaterThan(40_000)
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
    })

    test('L2: all holds of the owner have the time that one of them asked for, and keep it after its release', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner, leaseMs: 20_000 })
      const inner = await lock.acquire({ owner, leaseMs: 20_000 })
      await inner.extend(60_000)
      await inner.release()
      expect(outer.remainingMs()).toBeGreaterThan(40_000)
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      await outer.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('L2: the watchdog goes on renewing a hold that was extended, and shortens nothing', async () => {
      const { lock, renewed } = scene(place, place.holdfast({ watchdogMs: 2_400 }))
      const hold = await lock.acquire()
      expect(await hold.extend(60_000)).toBeGreaterThan(40_000)
      const before = renewed.length
      await place.eventually(() => renewed.length >= before + 2)
      expect(hold.remainingMs()).toBeGreaterThan(40_000)
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('L4: an extension that finds the lock gone is a loss', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: 60_000 })
      await place.holdfast().lock(lock.name).forceUnlock()
      const error = await rejectionOf(hold.extend(60_000))
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toBe(hold.signal.reason)
      expect(lost).toHaveLength(1)
      expect(await lock.isLocked()).toBe(false)
    })

    test('O5: a hold that was released cannot be extended, and what its owner still holds keeps its time', async () => {
      const { lock, owner } = scene(place)
      await using outer = await lock.acquire({ owner, leaseMs: 20_000 })
      const inner = await lock.acquire({ owner, leaseMs: 20_000 })
      await inner.release()
      const error = await rejectionOf(inner.extend(60_000))
      expect(error).toBeInstanceOf(NotOwnerError)
      expect(error).not.toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({ message: expect.stringMatching(/^This hold of lock .* was released/) })
      expect(outer.remainingMs()).toBeLessThan(20_000)
    })

    test('an extension by what is no lease is an InvalidArgumentError', async () => {
      await using hold = await place.holdfast().lock(place.lockName()).acquire({ leaseMs: 20_000 })
      for (const leaseMs of [0, 9, -1, 1.5, Number.NaN, Infinity, 2 ** 53])
        expect(await rejectionOf(hold.extend(leaseMs)), String(leaseMs)).toBeInstanceOf(InvalidArgumentError)
      expect(hold.remainingMs()).toBeLessThan(20_000)
    })
  })
}
