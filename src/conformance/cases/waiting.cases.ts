import { describe, expect, test } from 'vitest'
import { type Hold, LockTimeoutError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { scene } from '../scene.js'

/** Waiting for a lock: rules W1, W2, W3 and W5. Nothing here lets a lease end: what must not be waited for, cannot come. */
export function waitingCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('waiting', () => {
    test('W1: a release by another client wakes the waiter, without waiting for the lease to end', async () => {
      const [holder, waiter] = [place.holdfast(), place.holdfast()]
      const lock = waiter.lock(place.lockName())
      const hold = await holder.lock(lock.name).acquire({ leaseMs: 600_000 })
      const waiting = lock.acquire()
      await untilWaiting(place, lock, 1)
      await hold.release()
      await using mine = await inTime(place, waiting)
      expect((await lock.inspect()).owners).toMatchObject([{ owner: mine.owner, holds: 1 }])
    })

    test('W1: a release between the attempt and the subscription is not missed', async () => {
      for (let round = 0; round < 15; round += 1) {
        const [holder, waiter] = [place.holdfast(), place.holdfast()]
        const lock = waiter.lock(place.lockName())
        const hold = await holder.lock(lock.name).acquire({ leaseMs: 600_000 })
        const released = new Promise<void>((resolve, reject) => {
          waiter.once('waiting', () => hold.release().then(resolve, reject))
        })
        await using _mine = await lock.acquire()
        await released
      }
    })

    test('W1: a forceUnlock by a third client wakes the waiter', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      const waiting = lock.acquire()
      await untilWaiting(place, lock, 1)
      expect(await place.holdfast().lock(lock.name).forceUnlock()).toBe(true)
      await (await inTime(place, waiting)).release()
    })

    given(place, 'push')(
      'W1: a waiter in the process whose lock was forced open without its knowing gets in',
      async () => {
        const lock = place.holdfast().lock(place.lockName())
        await lock.acquire({ leaseMs: 600_000 })
        expect(await place.holdfast().lock(lock.name).forceUnlock()).toBe(true)
        await using mine = await inTime(place, lock.acquire())
        expect((await lock.inspect()).owners).toMatchObject([{ owner: mine.owner, holds: 1 }])
      },
    )

    test('W1: a partial release wakes nobody, the last one does', async () => {
      const holder = place.holdfast()
      const lock = place.holdfast().lock(place.lockName())
      const owner = holder.owner()
      const outer = await holder.lock(lock.name).acquire({ owner, leaseMs: 600_000 })
      const inner = await holder.lock(lock.name).acquire({ owner, leaseMs: 600_000 })
      const granted = new Latch()
      const waiting = lock.acquire().finally(() => granted.open())
      await untilWaiting(place, lock, 1)
      await inner.release()
      await untilWaiting(place, lock, 1)
      expect(granted.isOpen).toBe(false)
      await outer.release()
      await (await inTime(place, waiting)).release()
    })

    test('W1: waiters of several clients all get in, one after the other', async () => {
      const name = place.lockName()
      const hold = await place.holdfast().lock(name).acquire({ leaseMs: 600_000 })
      const locks = Array.from({ length: 4 }, () => place.holdfast().lock(name))
      const room = new Room()
      const sections = locks.flatMap((lock) =>
        [1, 2, 3].map(() => lock.withLock({ leaseMs: 600_000 }, () => room.visit())),
      )
      await untilWaiting(place, place.holdfast().lock(name), 4)
      await hold.release()
      await inTime(place, Promise.all(sections))
      expect(room).toMatchObject({ visits: 12, most: 1 })
    })

    test('W2: the waiters of one process count as one client, and the channel is dropped with the last', async () => {
      const name = place.lockName()
      const hold = await place.holdfast().lock(name).acquire({ leaseMs: 600_000 })
      const [here, there] = [place.holdfast(), place.holdfast()]
      const abort = new AbortController()
      const waitingHere = Array.from({ length: 5 }, () => here.lock(name).acquire())
      const waitingThere = rejectionOf(there.lock(name).acquire({ signal: abort.signal }))
      await untilWaiting(place, here.lock(name), 2)
      abort.abort()
      await waitingThere
      await untilWaiting(place, here.lock(name), 1)
      await hold.release()
      for (const waiting of waitingHere) await (await inTime(place, waiting)).release()
      await untilWaiting(place, here.lock(name), 0)
      await untilIdle(place, here)
    })

    test('W2: one waiter’s end does not end the watch of another', async () => {
      const name = place.lockName()
      const hold = await place.holdfast().lock(name).acquire({ leaseMs: 600_000 })
      const lock = place.holdfast().lock(name)
      const abort = new AbortController()
      const first = rejectionOf(lock.acquire({ signal: abort.signal }))
      const second = lock.acquire()
      await untilWaiting(place, lock, 1)
      abort.abort()
      await first
      await hold.release()
      await (await inTime(place, second)).release()
    })

    for (const holder of ['another process', 'the same process'] as const) {
      test(`W3: the waiters of one process queue first in, first out (held by ${holder})`, async () => {
        const { holdfast, lock } = scene(place)
        const from = holder === 'the same process' ? holdfast : place.holdfast()
        const hold = await from.lock(lock.name).acquire({ leaseMs: 600_000 })
        const order: number[] = []
        const sections = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => lock.withLock(() => order.push(number)))
        // A call that the store has yet to refuse could find the lock free before the calls that are about to join the line.
        await place.eventually(() => holdfast.metrics().waiting === sections.length)
        await hold.release()
        await inTime(place, Promise.all(sections))
        expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      })
    }

    test('W3: a waiter that leaves the queue does not hold up those behind it', async () => {
      const { holdfast, lock } = scene(place)
      const hold = await lock.acquire({ leaseMs: 600_000 })
      const abort = new AbortController()
      const order: number[] = []
      const take = (number: number) => (taken: Hold) => {
        order.push(number)
        return taken.release()
      }
      const first = rejectionOf(lock.acquire({ signal: abort.signal }))
      const middle = lock.acquire().then(take(2))
      const third = rejectionOf(lock.acquire({ signal: abort.signal }))
      const last = lock.acquire().then(take(4))
      await place.eventually(() => holdfast.metrics().waiting === 4)
      abort.abort()
      await inTime(place, Promise.all([first, third]))
      await hold.release()
      await inTime(place, Promise.all([middle, last]))
      expect(order).toEqual([2, 4])
    })

    whereNamed('W5: waitMs bounds the call, whatever becomes of the wake-ups in between', async () => {
      const { lock, far } = scene(place)
      await using hold = await far.acquire({ leaseMs: 600_000 })
      // With the connection made, there is time to be seen waiting.
      expect(await lock.isLocked()).toBe(true)
      // Long enough to be seen, far shorter than the lease.
      const waitMs = place.virtual ? 300 : place.lease(2_000)
      const waiting = rejectionOf(lock.acquire({ waitMs }))
      await untilWaiting(place, lock, 1)
      const error = await inTime(place, waiting)
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: lock.name, holder: hold.owner })
      const waitedMs = error instanceof LockTimeoutError ? error.waitedMs : 0
      expect(waitedMs).toBeGreaterThanOrEqual(waitMs - 1)
    })

    test('W5: waitMs bounds tryAcquire, tryLock and withLock too', async () => {
      const { holdfast, lock } = scene(place)
      await using hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
      expect(await lock.isLocked()).toBe(true)
      const outcomes = Promise.all([
        lock.tryAcquire({ waitMs: 2_000 }),
        holdfast.run(() => lock.tryLock({ waitMs: 2_000 })),
        rejectionOf(lock.withLock({ waitMs: 2_000 }, () => expect.unreachable())),
      ])
      expect(await inTime(place, outcomes)).toEqual([null, false, expect.any(LockTimeoutError)])
      hold.assertHeld()
    })

    whereNamed(
      'W5: a wait of zero makes one attempt: it gets a free lock, and no time passes for a held one',
      async () => {
        const { holdfast, lock, waiting } = scene(place)
        await using hold = await lock.acquire({ waitMs: 0 })
        for (const from of [holdfast, place.holdfast()]) {
          const error = await rejectionOf(from.lock(lock.name).acquire({ waitMs: 0 }))
          expect(error).toBeInstanceOf(LockTimeoutError)
          expect(error).toMatchObject({ holder: hold.owner })
        }
        // A server that is slow to answer causes an event as well.
        expect(waiting.filter(({ cause }) => cause === undefined)).toEqual([])
        expect(place.countsWaiters ? [0] : [0, undefined]).toContain(await lock.countWaitingClients())
      },
    )
  })
}
