import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type AcquireOptions, type Lock, LockTimeoutError, TooManyWaitersError } from '../../index.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Every way out of a wait leaves nothing behind: rule W4. The end by close is in closing.cases.ts. */
export function leavingCases(place: Place): void {
  describe('leaving a wait', () => {
    const calls: Readonly<Record<string, (lock: Lock, options: AcquireOptions) => Promise<unknown>>> = {
      acquire: (lock, options) => lock.acquire(options),
      withLock: (lock, options) => lock.withLock(options, () => expect.unreachable()),
      tryAcquire: (lock, options) => lock.tryAcquire({ waitMs: 60_000, ...options }),
    }

    for (const [method, call] of Object.entries(calls)) {
      test(`W4: an abort ends ${method} with the signal’s reason, and leaves nothing behind`, async () => {
        const { holdfast, lock } = scene(place)
        const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
        const abort = new AbortController()
        const reason = new Error('no longer wanted')
        const waiting = rejectionOf(call(lock, { signal: abort.signal }))
        await untilWaiting(place, lock, 1)
        abort.abort(reason)
        expect(await waiting).toBe(reason)
        expect(getEventListeners(abort.signal, 'abort')).toEqual([])
        await untilIdle(place, holdfast)
        await untilWaiting(place, lock, 0)
        await hold.release()
        expect(await lock.isLocked()).toBe(false)
      })
    }

    test('W4: a signal that is aborted already refuses the call, even when the lock is free', async () => {
      const { lock, acquired } = scene(place)
      const reason = new Error('never wanted')
      const signal = AbortSignal.abort(reason)
      expect(await rejectionOf(lock.acquire({ signal }))).toBe(reason)
      expect(await rejectionOf(lock.tryAcquire({ signal }))).toBe(reason)
      expect(await rejectionOf(lock.withLock({ signal }, () => expect.unreachable()))).toBe(reason)
      expect(acquired).toEqual([])
      expect(await lock.isLocked()).toBe(false)
    })

    test('W4: once the lock is held the signal has no effect, and nothing listens to it any more', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const abort = new AbortController()
      await using hold = await lock.acquire({ signal: abort.signal })
      expect(getEventListeners(abort.signal, 'abort')).toEqual([])
      abort.abort()
      hold.assertHeld()
      expect(hold.signal.aborted).toBe(false)
    })

    test('W4: a timeout leaves nothing behind', async () => {
      const { holdfast, lock } = scene(place)
      const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      const error = await inTime(place, rejectionOf(lock.acquire({ waitMs: 50 })))
      expect(error).toBeInstanceOf(LockTimeoutError)
      await untilIdle(place, holdfast)
      await untilWaiting(place, lock, 0)
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('W4: a grant that arrives after its waiter left is given back', async () => {
      const far = place.holdfast()
      for (let turns = 0; turns < 12; turns += 1) {
        const { holdfast, lock } = scene(place)
        // Once the connection stands, the reply is only some turns away: the abort comes before, with, and after it.
        expect(await lock.isLocked()).toBe(false)
        const abort = new AbortController()
        const outcome = lock.acquire({ signal: abort.signal, leaseMs: 600_000 }).then(
          (hold) => hold.release(),
          (error: unknown) => expect(error).toMatchObject({ name: 'AbortError' }),
        )
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        abort.abort()
        await outcome
        await untilIdle(place, holdfast)
        expect(await far.lock(lock.name).isLocked()).toBe(false)
      }
    })

    test('W4: an abandoned grant goes to the next waiter of the process', async () => {
      const { lock } = scene(place)
      const abort = new AbortController()
      const leaving = rejectionOf(lock.acquire({ signal: abort.signal, leaseMs: 600_000 }))
      const staying = lock.acquire()
      abort.abort()
      expect(await leaving).toMatchObject({ name: 'AbortError' })
      const hold = await inTime(place, staying)
      expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('W4: an abandoned nested acquisition lowers the count again and keeps the outer hold', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner })
      const abort = new AbortController()
      const nested = rejectionOf(lock.acquire({ owner, signal: abort.signal }))
      abort.abort()
      expect(await nested).toMatchObject({ name: 'AbortError' })
      await place.eventually(async () => (await lock.holdCount(owner)) === 1)
      const inner = await lock.acquire({ owner })
      expect(await lock.holdCount(owner)).toBe(2)
      await inner.release()
      await outer.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('maxWaiters: one more waiter is a TooManyWaitersError at once; those that wait are not disturbed', async () => {
      const { holdfast, lock } = scene(place, place.holdfast({ maxWaiters: 2 }))
      const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      const told = journalOf(holdfast, 'waiting')
      const waiting = [lock.acquire(), lock.acquire()].map((each) => inTime(place, each))
      await untilWaiting(place, lock, 1)
      // A server that is slow to answer causes an event as well.
      await place.eventually(() => told.filter(({ cause }) => cause === undefined).length === 2)
      const error = await rejectionOf(lock.acquire())
      expect(error).toBeInstanceOf(TooManyWaitersError)
      expect(error).toMatchObject({ code: 'TOO_MANY_WAITERS', lockName: lock.name })
      // An attempt that does not wait is no waiter, and another lock has a queue of its own.
      expect(await lock.tryAcquire()).toBeNull()
      await using _other = await holdfast.lock(place.lockName()).acquire()
      await hold.release()
      for (const each of waiting) await (await each).release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('faults D3: maxWaiters: of calls made at once the newest are refused', async () => {
      const lock = place.holdfast({ maxWaiters: 2 }).lock(place.lockName())
      const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      const calls = [1, 2, 3, 4].map(() => lock.acquire())
      const refused = Promise.all(calls.slice(2).map((call) => rejectionOf(call)))
      for (const error of await inTime(place, refused)) expect(error).toBeInstanceOf(TooManyWaitersError)
      await hold.release()
      for (const call of calls.slice(0, 2)) await (await inTime(place, call)).release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('maxWaiters: a place that was left may be taken', async () => {
      const lock = place.holdfast({ maxWaiters: 1 }).lock(place.lockName())
      const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      const abort = new AbortController()
      const leaving = rejectionOf(lock.acquire({ signal: abort.signal }))
      await untilWaiting(place, lock, 1)
      expect(await rejectionOf(lock.acquire())).toBeInstanceOf(TooManyWaitersError)
      abort.abort()
      await leaving
      const waiting = inTime(place, lock.acquire())
      await untilWaiting(place, lock, 1)
      await hold.release()
      await (await waiting).release()
    })
  })
}
