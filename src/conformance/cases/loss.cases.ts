import { describe, expect, test } from 'vitest'
import { type Hold, type Lock, LockLostError, NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** So long that a busy machine does not end a lease, nor lets a renewal wait for an answer, that this is not about. */
const watchdogMs = 4_500

/** How a loss is noticed and told: rules L4 and L6. */
export function lossCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('loss', () => {
    /** Another client breaks the lock open and takes it. */
    const takeAway = async (lock: Lock): Promise<Hold> => {
      const far = place.holdfast().lock(lock.name)
      expect(await far.forceUnlock()).toBe(true)
      return await far.acquire()
    }

    whereNamed('L4: a renewal answered "not yours" is loss at once, long before the deadline', async () => {
      const { holdfast, lock, lost, suspended } = scene(place, place.holdfast({ watchdogMs }))
      const hold = await lock.acquire()
      const { signal } = hold
      await using next = await takeAway(lock)
      await place.eventually(() => signal.aborted)
      expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
      expect(lost).toMatchObject([{ name: lock.name, owner: hold.owner, reason: 'not-in-store' }])
      expect(suspended).toEqual([])
      expect(() => hold.assertHeld()).toThrow(LockLostError)
      expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
      expect(holdfast.census).toMatchObject({ tenures: 0, watched: 0 })
    })

    test('L4: the loss of one lock does not keep others from being renewed', async () => {
      const holdfast = place.holdfast({ watchdogMs })
      const locks = Array.from({ length: 5 }, () => holdfast.lock(place.lockName()))
      const [renewed, lost] = [journalOf(holdfast, 'renewed'), journalOf(holdfast, 'lost')]
      const holds = await Promise.all(locks.map((lock) => lock.acquire()))
      const [first, ...others] = locks
      if (first) await takeAway(first)
      await place.eventually(() => lost.length === 1)
      const countOf = (lock: Lock): number => renewed.filter(({ name }) => name === lock.name).length
      // The one that is lost was asked for together with the first renewal of the others.
      await place.eventually(() => others.every((lock) => countOf(lock) >= 2))
      for (const hold of holds.slice(1)) hold.assertHeld()
      expect(lost).toMatchObject([{ name: first?.name }])
      await Promise.all(holds.slice(1).map((hold) => hold.release()))
    })

    test('L4: a loss through forceUnlock by the holder’s own client is known at once', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire()
      expect(await lock.forceUnlock()).toBe(true)
      expect(hold.signal.aborted).toBe(true)
      expect(lost).toMatchObject([{ owner: hold.owner, reason: 'not-in-store' }])
      expect(await rejectionOf(hold.release())).toBeInstanceOf(LockLostError)
      expect(lost).toHaveLength(1)
    })

    test('L4: a nested acquisition that finds the lock gone tells the outer hold of the loss, then contends', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner })
      const next = await takeAway(lock)
      const { signal } = outer
      expect(await lock.tryAcquire({ owner })).toBeNull()
      expect(signal.aborted).toBe(true)
      await next.release()
      await using _again = await lock.acquire({ owner })
      expect(await lock.holdCount(owner)).toBe(1)
      expect(await rejectionOf(outer.release())).toBeInstanceOf(LockLostError)
      expect(await lock.holdCount(owner)).toBe(1)
    })

    whereNamed(
      'L6: releasing what was lost is a LockLostError, which is a NotOwnerError; final, and touches nothing',
      async () => {
        const { lock, lost, released } = scene(place)
        const hold = await lock.acquire()
        await using next = await takeAway(lock)
        const error = await rejectionOf(hold.release())
        expect(error).toBeInstanceOf(LockLostError)
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ code: 'LOCK_LOST', lockName: lock.name, owner: hold.owner })
        expect(hold.signal.aborted).toBe(true)
        expect(lost).toHaveLength(1)
        expect(released).toEqual([])
        await hold.release()
        expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
        next.assertHeld()
      },
    )

    whereNamed('L6: each hold of a lost tenure reports the loss; none touches the new owner’s', async () => {
      const { lock, owner } = scene(place)
      const holds = [
        await lock.acquire({ owner }),
        await lock.acquire({ owner }),
        await lock.acquire({ owner }),
      ]
      await using next = await takeAway(lock)
      for (const hold of holds.reverse())
        expect(await rejectionOf(hold.release())).toBeInstanceOf(LockLostError)
      expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
    })

    test('L6: withLock rejects with LockLostError by default, once the body has settled, its result attached', async () => {
      const lock = place.holdfast().lock(place.lockName())
      let settled = false
      const error = await rejectionOf(
        lock.withLock(async () => {
          await takeAway(lock)
          await new Promise((resolve) => setImmediate(resolve))
          settled = true
          return { orders: 42 }
        }),
      )
      expect(settled).toBe(true)
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({ result: { orders: 42 } })
    })

    test('L6: with onLost `continue` withLock returns the body’s result; the loss is only signalled', async () => {
      const { lock, lost } = scene(place)
      const result = await lock.withLock({ onLost: 'continue' }, async () => {
        await takeAway(lock)
        return 'done'
      })
      expect(result).toBe('done')
      expect(lost).toHaveLength(1)
    })

    for (const onLost of ['reject', 'continue'] as const) {
      test(`L6: the body’s own error wins, with onLost ${onLost}`, async () => {
        const lock = place.holdfast().lock(place.lockName())
        const own = new Error('the body’s own')
        const error = await rejectionOf(
          lock.withLock({ onLost }, async () => {
            await takeAway(lock)
            throw own
          }),
        )
        expect(error).toBe(own)
      })
    }

    test('L6: a body that stops on the signal rejects with the loss as its reason', async () => {
      const { lock } = scene(place)
      const section = lock.withLock({ leaseMs: place.lease(100) }, async ({ signal }) => {
        await place.eventually(() => signal.aborted)
        signal.throwIfAborted()
      })
      const error = await inTime(place, rejectionOf(section))
      expect(error).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
    })

    test('L6: a lock that is lost can be taken anew, and is then held anew', async () => {
      const { lock } = scene(place)
      const lostHold = await lock.acquire()
      await (await takeAway(lock)).release()
      expect(await rejectionOf(lostHold.release())).toBeInstanceOf(LockLostError)
      const hold = await lock.acquire()
      await lostHold.release()
      hold.assertHeld()
      expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })
  })
}
