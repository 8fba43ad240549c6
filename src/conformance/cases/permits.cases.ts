import { afterEach, describe, expect, test } from 'vitest'
import { ClosedError, InvalidArgumentError, LockLostError, LockTimeoutError } from '../../index.js'
import { given } from '../given.js'
import { countWaitingClients, untilIdle, untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import { handleOf, type PermitsKind } from '../permits-handle.js'
import type { Place } from '../place.js'

/** Permits of either kind, as programs have them. */
export function permitsCases(kind: PermitsKind): (place: Place) => void {
  return (place) => {
    describe(`${kind}: ${place.name}`, () => {
      afterEach(() => place.tidy())

      async function pair(permits: number) {
        const [near, far] = [place.holdfast(), place.holdfast()]
        const semaphore = handleOf(near, kind, place.lockName())
        await semaphore.trySetPermits(permits)
        return { near, far, semaphore, remote: handleOf(far, kind, semaphore.name) }
      }

      test('faults B19: the number that a handle is made with is set if none is, once, whoever asks first', async () => {
        const clients = [place.holdfast(), place.holdfast(), place.holdfast()]
        const name = place.lockName()
        const handles = clients.map((client) => handleOf(client, kind, name, 3))
        const asked = handles.flatMap((handle) => [handle.tryAcquire(), handle.tryAcquire()])
        const holds = (await inTime(place, Promise.all(asked))).filter((hold) => hold !== null)
        expect(holds).toHaveLength(3)
        const [first] = handles
        expect(await first?.availablePermits()).toBe(0)
        expect(await first?.trySetPermits(9)).toBe(false)
        const other = handleOf(place.holdfast(), kind, name, 5)
        const waiting = other.withPermits({}, () => 'inside')
        await untilWaiting(place, other, 1)
        for (const hold of holds) await hold.release()
        expect(await inTime(place, waiting)).toBe('inside')
        expect(await first?.availablePermits()).toBe(3)
      })

      test('faults B19: it is set before a question or a change, and lets in who waits with another handle', async () => {
        const [near, far] = [place.holdfast(), place.holdfast()]
        const asked = handleOf(near, kind, place.lockName(), 2)
        expect(await asked.availablePermits()).toBe(2)
        const changed = handleOf(near, kind, place.lockName(), 2)
        await changed.addPermits(1)
        expect(await changed.availablePermits()).toBe(3)
        const without = handleOf(far, kind, place.lockName())
        const waiting = without.acquire()
        await untilWaiting(place, without, 1)
        await using _mine = await handleOf(near, kind, without.name, 2).acquire()
        await (await inTime(place, waiting)).release()
      })

      test('faults B19: a wait without a number says what is missing; what is no number is refused', async () => {
        const holdfast = place.holdfast()
        const handle = handleOf(holdfast, kind, place.lockName())
        expect(await handle.availablePermits()).toBe(0)
        const error = await inTime(place, rejectionOf(handle.acquire({ waitMs: place.lease(1_500) })))
        expect(String(error)).toMatch(/^LockTimeoutError: .*number was never set.*trySetPermits/)
        expect(String(error)).not.toContain('Wait longer')
        const made = (...more: unknown[]) => Reflect.apply(holdfast[kind], holdfast, [handle.name, ...more])
        for (const permits of [0, 1.5, Number.NaN, { permits: 3 }])
          expect(() => made(permits)).toThrow(InvalidArgumentError)
        expect(() => made(3, 4)).toThrow(/argument 3/)
      })

      test('a section has its permits as long as it runs, also when it fails', async () => {
        const { near, semaphore, remote } = await pair(3)
        const result = await semaphore.withPermits({ permits: 2 }, async (hold) => {
          hold.assertHeld()
          expect(await remote.availablePermits()).toBe(1)
          return 'done'
        })
        expect(result).toBe('done')
        const failed = semaphore.withLock(() => Promise.reject(new Error('the body failed')))
        await expect(failed).rejects.toThrow('the body failed')
        expect(await remote.availablePermits()).toBe(3)
        await untilIdle(place, near)
      })

      test.each(['leaves', 'leaves with a question on its way', 'times out'] as const)(
        'H17: one that wants more %s: the next takes at once what is there for it',
        async (how) => {
          const { far, semaphore, remote } = await pair(3)
          const first = await semaphore.acquire()
          const all = await semaphore.acquire({ permits: 2 })
          const controller = new AbortController()
          const limit = how === 'times out' ? { waitMs: place.lease(500) } : {}
          const over = new Latch()
          const asking = remote.acquire({ permits: 3, signal: controller.signal, ...limit })
          const greedy = rejectionOf(asking.finally(() => over.open()))
          // In line before the other asks; on a busy machine its time may end before anybody has seen that.
          await place.eventually(async () => over.isOpen || (await countWaitingClients(place, remote)) === 1)
          const modest = remote.acquire()
          await place.pass(20)
          await all.release()
          if (how === 'leaves') {
            // Until the greedy one has asked again, in vain.
            await place.eventually(async () => (await semaphore.availablePermits()) === 2)
            await place.pass(20)
          }
          if (how !== 'times out') controller.abort('enough')
          await inTime(place, greedy)
          const from = place.now()
          await (await inTime(place, modest)).release()
          expect(place.now() - from).toBeLessThan(5_000)
          await first.release()
          await untilIdle(place, far)
        },
      )

      const inOrder = given(place, 'fifo')

      inOrder('faults B1, W3: what a release gives back is the next one’s, whoever asks then', async () => {
        const { semaphore, remote } = await pair(1)
        const hold = await semaphore.acquire()
        const next = remote.acquire()
        await untilWaiting(place, semaphore, 1)
        await hold.release()
        expect(await semaphore.tryAcquire()).toBeNull()
        await (await inTime(place, next)).release()
        expect(await semaphore.availablePermits()).toBe(1)
      })

      inOrder(
        'faults B1, W3: equals in a loop take turns: each waits for one section of each other',
        async () => {
          const { semaphore } = await pair(1)
          const handles = Array.from({ length: 4 }, () => handleOf(place.holdfast(), kind, semaphore.name))
          const turns: number[] = []
          const [others, all] = [handles.length - 1, 6 * handles.length]
          // Nobody begins by finding it free: who does, and is not the first, stands in line for a moment only.
          const hold = await semaphore.acquire()
          const loops = handles.map(async (handle, index) => {
            while (turns.length < all)
              await handle.withPermits({}, async () => {
                turns.push(index)
                // All the others are in line before it ends: that they come late is not what this is about.
                if (turns.length < all - others) await untilWaiting(place, semaphore, others)
              })
          })
          await untilWaiting(place, semaphore, handles.length)
          await hold.release()
          await inTime(place, Promise.all(loops))
          const certain = turns.slice(0, all - others)
          expect(new Set(certain.slice(0, handles.length)).size).toBe(handles.length)
          expect(certain.slice(handles.length)).toEqual(certain.slice(0, -handles.length))
        },
      )

      inOrder(
        'faults B1: who wants many is passed for a while by those that want less, not for ever',
        async () => {
          const { semaphore, remote } = await pair(2)
          const few = Array.from({ length: 2 }, () => handleOf(place.holdfast(), kind, semaphore.name))
          const held = await semaphore.acquire()
          const many = remote.acquire({ permits: 2 })
          await untilWaiting(place, semaphore, 1)
          const served = new Latch()
          void many.then(() => served.open())
          const loops = few.map(async (handle) => {
            while (!served.isOpen) await handle.withPermits({}, () => place.pass(20))
          })
          await held.release()
          await (await inTime(place, many)).release()
          await inTime(place, Promise.all(loops))
          expect(await semaphore.availablePermits()).toBe(2)
        },
      )

      inOrder('faults B1, W4: who leaves the line keeps nobody waiting, and is given nothing', async () => {
        const { far, semaphore, remote } = await pair(2)
        const holds = [await semaphore.acquire(), await semaphore.acquire()]
        const controller = new AbortController()
        const leaving = rejectionOf(remote.acquire({ permits: 2, signal: controller.signal }))
        await untilWaiting(place, semaphore, 1)
        const next = handleOf(place.holdfast(), kind, semaphore.name).acquire()
        await untilWaiting(place, semaphore, 2)
        await holds.pop()?.release()
        controller.abort('enough')
        expect(await leaving).toBe('enough')
        await (await inTime(place, next)).release()
        await holds.pop()?.release()
        expect(await semaphore.availablePermits()).toBe(2)
        await untilIdle(place, far)
      })

      test('nested acquisitions each take permits of their own', async () => {
        const { semaphore } = await pair(2)
        await semaphore.withPermits({}, async () => {
          await semaphore.withPermits({}, async () => {
            expect(await semaphore.availablePermits()).toBe(0)
            expect(await semaphore.tryAcquire()).toBeNull()
          })
        })
        expect(await semaphore.availablePermits()).toBe(2)
      })

      test('W4: abort, timeout and close leave the number right, and nothing behind', async () => {
        const { near, far, semaphore, remote } = await pair(3)
        const hold = await remote.acquire({ permits: 2 })
        const controller = new AbortController()
        const aborted = rejectionOf(semaphore.acquire({ permits: 2, signal: controller.signal }))
        const late = rejectionOf(semaphore.acquire({ permits: 3, waitMs: 150 }))
        await untilWaiting(place, semaphore, 1)
        controller.abort('enough')
        expect(await aborted).toBe('enough')
        expect(await inTime(place, late)).toBeInstanceOf(LockTimeoutError)
        await untilIdle(place, near)
        const closed = rejectionOf(semaphore.acquire({ permits: 2 }))
        await untilWaiting(place, semaphore, 1)
        await near.close()
        expect(await closed).toBeInstanceOf(ClosedError)
        expect(await remote.availablePermits()).toBe(1)
        await hold.release()
        expect(await remote.availablePermits()).toBe(3)
        await untilIdle(place, far)
      })

      test('without a lease the watchdog keeps the permits; with one they end, and the holder is told', async () => {
        const holdfast = place.holdfast({ watchdogMs: place.lease(1_350) })
        const semaphore = handleOf(holdfast, kind, place.lockName())
        await semaphore.trySetPermits(2)
        const renewed = journalOf(holdfast, 'renewed')
        const watched = await semaphore.acquire()
        const leased = await semaphore.acquire({ leaseMs: place.lease(300) })
        await place.eventually(() => renewed.length >= 4)
        watched.assertHeld()
        await place.eventually(() => leased.signal.aborted)
        expect(leased.signal.reason).toBeInstanceOf(LockLostError)
        await expect(leased.release()).rejects.toThrow(LockLostError)
        await place.eventually(async () => (await semaphore.availablePermits()) === 1)
        await watched.release()
        expect(await semaphore.availablePermits()).toBe(2)
      })

      describe('L3: a hold ends with a semaphore that expires, by its holder’s clock, before a waiter gets in', () => {
        /** A lease that ends later, one that the watchdog would prolong, and a grant in line. */
        const later = { leaseMs: place.lease(20_000) }
        test.each([
          ['with a longer lease', {}, later],
          ['under the watchdog', { watchdogMs: place.lease(900) }, {}],
          ['granted in line', {}, {}],
        ] as const)('%s', async (how, clientOptions, options) => {
          const holdfast = place.holdfast(clientOptions)
          const semaphore = handleOf(holdfast, kind, place.lockName())
          const lost = journalOf(holdfast, 'lost')
          const ttlMs = place.lease(2_500)
          await semaphore.trySetPermits(1, { ttlMs })
          const before = how === 'granted in line' ? await semaphore.acquire() : undefined
          const taking = semaphore.acquire(options)
          if (before) await untilWaiting(place, semaphore, 1)
          await before?.release()
          const hold = await inTime(place, taking)
          expect(hold.remainingMs()).toBeLessThan(ttlMs)
          if (how !== 'under the watchdog') await hold.extend(ttlMs)
          expect(hold.remainingMs()).toBeLessThan(ttlMs)
          expect((await semaphore.inspect()).remainingMs).toBeLessThanOrEqual(ttlMs)
          const other = handleOf(place.holdfast(), kind, semaphore.name, 1)
          await using _next = await inTime(place, other.acquire())
          expect(() => hold.assertHeld()).toThrow(LockLostError)
          expect(lost).toMatchObject([{ owner: hold.owner, reason: 'lease-expired' }])
        })
      })

      given(place, 'endsLeases')(
        'what a client that has gone took comes back when its lease ends, and a waiter gets in then',
        async () => {
          const { far, semaphore, remote } = await pair(1)
          await remote.acquire({ leaseMs: place.lease(300) })
          await far.close()
          await (await inTime(place, semaphore.acquire())).release()
          expect(await semaphore.availablePermits()).toBe(1)
        },
      )

      test('many waiters of several clients: never more inside than permits, and all get in', async () => {
        const { semaphore } = await pair(3)
        const handles = Array.from({ length: 4 }, () => handleOf(place.holdfast(), kind, semaphore.name))
        let [inside, most] = [0, 0]
        const sections = handles.flatMap((handle, index) =>
          Array.from({ length: 8 }, () => {
            const permits = 1 + (index % 3)
            return handle.withPermits({ permits }, async () => {
              inside += permits
              most = Math.max(most, inside)
              await new Promise(setImmediate)
              inside -= permits
            })
          }),
        )
        await inTime(place, Promise.all(sections))
        expect(most).toBeLessThanOrEqual(3)
        expect(await semaphore.availablePermits()).toBe(3)
      })
    })
  }
}
