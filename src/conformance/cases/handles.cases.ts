import { describe, expect, test } from 'vitest'
import { type Hold, LockLostError, NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** The handles a user has: `Lock` in both shapes, and `Hold`. */
export function handlesCases(place: Place): void {
  describe('handles', () => {
    test('tryAcquire is a hold or null, tryLock is true or false', async () => {
      const { holdfast, lock } = scene(place)
      const hold = await lock.tryAcquire()
      expect(hold).toMatchObject({ name: lock.name, fence: undefined })
      expect(await lock.tryAcquire()).toBeNull()
      await holdfast.run(async () => {
        expect(await lock.tryLock()).toBe(false)
        await hold?.release()
        expect(await lock.tryLock()).toBe(true)
        expect(await lock.tryLock()).toBe(true)
        expect(await lock.holdCount()).toBe(2)
        await lock.unlock()
        await lock.unlock()
      })
      expect(await lock.isLocked()).toBe(false)
    })

    test('Redisson’s shape: lock twice is hold count 2, and a third unlock is a NotOwnerError', async () => {
      const { holdfast, lock } = scene(place)
      await holdfast.run(async () => {
        await lock.lock()
        await lock.lock()
        expect(await lock.holdCount()).toBe(2)
        await lock.unlock()
        expect(await lock.holdCount()).toBe(1)
        expect(await lock.isHeld()).toBe(true)
        await lock.unlock()
        expect(await lock.isHeld()).toBe(false)
        const error = await rejectionOf(lock.unlock())
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: lock.name })
      })
      expect(await lock.isLocked()).toBe(false)
    })

    test('Redisson’s shape works with an explicit owner, outside any scope', async () => {
      const { holdfast, lock } = scene(place)
      const [me, you] = [holdfast.owner(), holdfast.owner()]
      await lock.lock({ owner: me })
      expect(await lock.tryLock({ owner: me, leaseMs: 60_000 })).toBe(true)
      expect(await lock.tryLock({ owner: you })).toBe(false)
      expect([await lock.holdCount(me), await lock.holdCount(you)]).toEqual([2, 0])
      await lock.unlock({ owner: me })
      await lock.unlock({ owner: me })
      expect(await lock.isLocked()).toBe(false)
    })

    test('withLock returns what its body returns, rejects as it rejects, and frees the lock either way', async () => {
      const lock = place.holdfast().lock(place.lockName())
      expect(await lock.withLock(() => 'plain')).toBe('plain')
      expect(await lock.withLock({ leaseMs: 60_000 }, async (hold) => hold.name)).toBe(lock.name)
      const own = new Error('own')
      const throws = [
        () => {
          throw own
        },
        async () => await Promise.reject(own),
      ]
      for (const body of throws) {
        expect(await rejectionOf(lock.withLock(body))).toBe(own)
        expect(await lock.isLocked()).toBe(false)
      }
    })

    test('await using releases at the end of the block, by return and by error', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const seen: Hold[] = []
      const leaves = async (fails: boolean): Promise<void> => {
        await using hold = await lock.acquire()
        seen.push(hold)
        if (fails) throw new Error('on the way')
      }
      await leaves(false)
      expect(await lock.isLocked()).toBe(false)
      expect(await rejectionOf(leaves(true))).toMatchObject({ message: 'on the way' })
      expect(await lock.isLocked()).toBe(false)
      for (const hold of seen) expect(() => hold.assertHeld()).toThrow(NotOwnerError)
    })

    given(place, 'namesHolder')('a second release does nothing, nor does one beside the first', async () => {
      const { lock, owner } = scene(place)
      const [outer, inner] = [await lock.acquire({ owner }), await lock.acquire({ owner })]
      await Promise.all([inner.release(), inner.release()])
      await inner.release()
      expect(await lock.holdCount(owner)).toBe(1)
      outer.assertHeld()
      await outer.release()
      await using next = await place.holdfast().lock(lock.name).acquire()
      await outer.release()
      expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
    })

    test('a withLock body may release its hold itself, early', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const result = await lock.withLock(async (hold) => {
        await hold.release()
        expect(await lock.isLocked()).toBe(false)
        return 'early'
      })
      expect(result).toBe('early')
    })

    test('a released hold is not lost: its signal stays quiet, assertHeld says it is not held', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const hold = await lock.acquire()
      const { signal } = hold
      await hold.release()
      expect(signal.aborted).toBe(false)
      expect(hold.remainingMs()).toBe(0)
      expect(() => hold.assertHeld()).toThrow(NotOwnerError)
      expect(() => hold.assertHeld()).not.toThrow(LockLostError)
    })

    test('hold.run acts for the hold’s owner, passes results and errors on, and releases nothing', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await using hold = await lock.acquire()
      const counts = await hold.run(() =>
        lock.withLock(async (inner) => [inner.owner, await lock.holdCount()]),
      )
      expect(counts).toEqual([hold.owner, 2])
      const own = new Error('own')
      expect(await rejectionOf(hold.run(() => Promise.reject(own)))).toBe(own)
      expect(await lock.holdCount(hold.owner)).toBe(1)
      expect(await lock.holdCount()).toBe(0)
    })

    test('run passes results and errors on; owner() is another owner each time', async () => {
      const holdfast = place.holdfast()
      expect(await holdfast.run(() => 'plain')).toBe('plain')
      const own = new Error('own')
      expect(await rejectionOf(holdfast.run(() => Promise.reject(own)))).toBe(own)
      expect(holdfast.owner()).not.toBe(holdfast.owner())
    })

    test('O2: unlock takes the latest of the locks that lie open to the scope, not those of a section', async () => {
      const { holdfast, lock } = scene(place)
      await holdfast.run(async () => {
        await lock.lock()
        await lock.withLock(async () => {
          await lock.lock()
          expect(await lock.holdCount()).toBe(3)
          await lock.unlock()
          expect(await lock.holdCount()).toBe(2)
        })
        expect(await lock.holdCount()).toBe(1)
        await lock.unlock()
      })
      expect(await lock.isLocked()).toBe(false)
    })
  })
}
