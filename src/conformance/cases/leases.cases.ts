import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../index.js'
import { given } from '../given.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Lease times and deadlines: rules L1 to L3. The watchdog has a file of its own. */
export function leasesCases(place: Place): void {
  const inRealTime = given(place, 'real time')
  describe('leases', () => {
    test('L1: a hold with a lease is not renewed; when the lease ends the next waiter gets in', async () => {
      const { holdfast, lock, renewed } = scene(place, place.holdfast({ watchdogMs: place.lease(90) }))
      const hold = await lock.acquire({ leaseMs: place.lease(300) })
      await using next = await inTime(place, place.holdfast().lock(lock.name).acquire())
      expect(next.owner).not.toBe(hold.owner)
      expect(renewed).toEqual([])
      expect(holdfast.census.watched).toBe(0)
    })

    test('L2: a nested hold with a shorter lease does not shorten the time left, nor does its release', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner, leaseMs: 60_000 })
      const inner = await lock.acquire({ owner, leaseMs: place.lease(100) })
      for (const left of [await lock.remainingMs(), outer.remainingMs(), inner.remainingMs()]) {
        expect(left).toBeGreaterThan(40_000)
      }
      await inner.release()
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      expect(outer.remainingMs()).toBeGreaterThan(40_000)
      await outer.release()
      expect(await lock.remainingMs()).toBe(0)
    })

    test('L2: a nested hold with a longer lease adds time, and a partial release leaves it', async () => {
      const { lock, owner } = scene(place)
      await using outer = await lock.acquire({ owner, leaseMs: 20_000 })
      await (await lock.acquire({ owner, leaseMs: 60_000 })).release()
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      expect(outer.remainingMs()).toBeGreaterThan(40_000)
    })

    test('L2: a nested watched hold, and its renewals, do not shorten a long lease', async () => {
      const { lock, owner, renewed } = scene(place, place.holdfast({ watchdogMs: place.lease(300) }))
      await using _outer = await lock.acquire({ owner, leaseMs: 60_000 })
      const inner = await lock.acquire({ owner })
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      await place.eventually(() => renewed.length >= 2)
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      expect(renewed.at(-1)?.remainingMs).toBeGreaterThan(40_000)
      await inner.release()
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
    })

    test('L2: no order of releases shortens the time left', async () => {
      const { lock, owner } = scene(place)
      const long = await lock.acquire({ owner, leaseMs: 60_000 })
      const short = await lock.acquire({ owner, leaseMs: 20_000 })
      await long.release()
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      expect(short.remainingMs()).toBeGreaterThan(40_000)
      expect(await lock.holdCount(owner)).toBe(1)
      await short.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('L3: the holder’s deadline is earlier than the store’s', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const hold = await lock.acquire({ leaseMs: 600_000 })
      const local = hold.remainingMs()
      expect(local).toBeGreaterThan(0)
      expect(local).toBeLessThan(await lock.remainingMs())
      await hold.release()
      expect(hold.remainingMs()).toBe(0)
    })

    test('L3: when the lease passes the signal aborts, `lost` is emitted and assertHeld throws', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: place.lease(1_350) })
      hold.assertHeld()
      expect(hold.remainingMs()).toBeGreaterThan(0)
      const aborted = new Promise((resolve) => hold.signal.addEventListener('abort', resolve))
      expect(hold.signal.aborted).toBe(false)
      await inTime(place, aborted)
      expect(hold.signal.reason).toBeInstanceOf(LockLostError)
      expect(hold.signal.reason).toMatchObject({
        reason: 'lease-expired',
        lockName: lock.name,
        owner: hold.owner,
      })
      expect(lost).toMatchObject([{ name: lock.name, owner: hold.owner, reason: 'lease-expired' }])
      expect(() => hold.assertHeld()).toThrow(LockLostError)
      expect(hold.remainingMs()).toBe(0)
      const error = await rejectionOf(hold.release())
      expect(error).toBe(hold.signal.reason)
      expect(lost).toHaveLength(1)
    })

    test('L3: a signal that is first looked at after the loss is aborted already', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: place.lease(60) })
      await place.eventually(() => lost.length > 0)
      expect(hold.signal.aborted).toBe(true)
      expect(hold.signal.reason).toBeInstanceOf(LockLostError)
    })

    test('L3: every hold of the tenure learns of the end of its lease', async () => {
      const { lock, owner } = scene(place)
      const holds = [
        await lock.acquire({ owner, leaseMs: place.lease(100) }),
        await lock.acquire({ owner, leaseMs: place.lease(100) }),
        await lock.acquire({ owner, leaseMs: place.lease(50) }),
      ]
      const signals = holds.map((hold) => hold.signal)
      await place.eventually(() => signals.every((signal) => signal.aborted))
      for (const hold of holds) expect(await rejectionOf(hold.release())).toBeInstanceOf(LockLostError)
    })

    // Virtual time does not pass while the event loop is blocked.
    inRealTime('L3: however late the event loop gets to it, assertHeld compares clocks itself', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: place.lease(600) })
      const { signal } = hold
      // Cases run side by side: to block for the whole lease would cost the others theirs.
      await place.pass(hold.remainingMs() - place.lease(100))
      block(hold.remainingMs() + 20)
      expect(lost).toEqual([])
      expect(signal.aborted).toBe(false)
      expect(hold.remainingMs()).toBe(0)
      expect(() => hold.assertHeld()).toThrow(LockLostError)
      expect(signal.aborted).toBe(true)
      expect(lost).toHaveLength(1)
    })
  })
}

/** Holds up this thread: no timer fires, no reply is read. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
