import { describe, expect, test } from 'vitest'
import type { Hold } from '../../index.js'
import { given } from '../given.js'
import { untilWaiting } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Who of several processes that wait gets the lock. */
export function orderCases(place: Place): void {
  // A fair lock has an order wherever it is kept.
  const inOrder = place.kind === 'fair' ? given(place, 'fairLock') : given(place, 'fifo')

  describe('several processes that wait', () => {
    /** A lock that is held, and clients that wait for it, one after the other. */
    const queueOf = async (length: number, signals: Readonly<Record<number, AbortSignal>> = {}) => {
      const name = place.lockName()
      const far = place.holdfast().lock(name)
      const hold = await far.acquire({ leaseMs: 600_000 })
      const order: number[] = []
      const waits: Promise<unknown>[] = []
      for (let index = 0; index < length; index += 1) {
        const lock = place.holdfast().lock(name)
        const signal = signals[index]
        const take = async (mine: Hold): Promise<void> => {
          order.push(index)
          await mine.release()
        }
        const waiting = lock.acquire(signal ? { signal } : {}).then(take)
        waits.push(signal ? rejectionOf(waiting) : waiting)
        await untilWaiting(place, far, index + 1)
      }
      return { hold, order, far, waits: Promise.all(waits) }
    }

    inOrder('W3: get it in the order in which they came', async () => {
      const { hold, order, waits } = await queueOf(5)
      await hold.release()
      await inTime(place, waits)
      expect(order).toEqual([0, 1, 2, 3, 4])
    })

    inOrder('S5: one that leaves without having had it holds up nobody, wherever it stood', async () => {
      for (const leaving of [0, 1, 2]) {
        const abort = new AbortController()
        const { hold, order, far, waits } = await queueOf(3, { [leaving]: abort.signal })
        abort.abort()
        await untilWaiting(place, far, 2)
        await hold.release()
        await inTime(place, waits)
        expect(order).toEqual([0, 1, 2].filter((each) => each !== leaving))
      }
    })

    inOrder('S5: one that was forced out of the lock stands behind those that wait', async () => {
      const { hold, order, far, waits } = await queueOf(2)
      expect(await far.forceUnlock()).toBe(true)
      expect(hold.signal.aborted).toBe(true)
      const again = far.acquire().then(async (mine) => {
        order.push(9)
        await mine.release()
      })
      await inTime(place, Promise.all([waits, again]))
      expect(order).toEqual([0, 1, 9])
    })

    test('S4: a client that is closed while it waits is never granted the lock', async () => {
      const holder = place.holdfast().lock(place.lockName())
      const gone = place.holdfast()
      const hold = await holder.acquire({ leaseMs: 600_000 })
      const refused = rejectionOf(gone.lock(holder.name).acquire())
      await untilWaiting(place, holder, 1)
      const stays = place.holdfast().lock(holder.name).acquire()
      await untilWaiting(place, holder, 2)
      await gone.close()
      expect(await refused).toMatchObject({ code: 'CLOSED' })
      await hold.release()
      const mine = await inTime(place, stays)
      mine.assertHeld()
      await mine.release()
      expect(await holder.isLocked()).toBe(false)
    })
  })
}
