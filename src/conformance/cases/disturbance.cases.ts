import { describe, expect, test } from 'vitest'
import { LockLostError, LockTimeoutError, StoreError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle, untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** How a store comes through lost answers, cut connections and leases that end: rules S1, S3, S6 and S7. */
export function disturbanceCases(place: Place): void {
  const detaching = given(place, 'detaches')
  const inOrder = given(place, 'push', 'fifo')
  describe('disturbances', () => {
    test('S1: locks that end are each told once, before another client has one', async () => {
      const [holder, other] = [place.holdfast(), place.holdfast()]
      const lost = journalOf(holder, 'lost')
      const names = Array.from({ length: 3 }, () => place.lockName())
      const leaseMs = place.lease(900)
      const holds = await Promise.all(names.map((name) => holder.lock(name).acquire({ leaseMs })))
      const seen = holds.map(async (hold) => {
        const next = await other.lock(hold.name).acquire()
        const over = hold.signal.aborted || hold.remainingMs() === 0
        // After a standstill the event loop reads the store's answer before it runs the timers that are due.
        if (!place.virtual) await new Promise((resolve) => setTimeout(resolve))
        const told = lost.filter(({ name }) => name === hold.name).length
        await next.release()
        return { told, over }
      })
      const once = { told: 1, over: true }
      expect(await inTime(place, Promise.all(seen))).toEqual([once, once, once])
      expect(lost.map(({ name }) => name).sort()).toEqual([...names].sort())
    })

    for (const call of ['acquire', 'release'] as const) {
      given(place, 'namesHolder')(`S3, X1: an answer to ${call} that is lost counts once`, async () => {
        const [holdfast, disturbance] = place.disturbed()
        const lock = holdfast.lock(place.lockName())
        const far = place.holdfast().lock(lock.name)
        const owner = holdfast.owner()
        disturbance.lose(call)
        const outer = await inTime(place, lock.acquire({ owner }))
        disturbance.lose(call)
        const inner = await inTime(place, lock.acquire({ owner }))
        expect((await far.inspect()).owners).toMatchObject([{ owner, holds: place.visible(2) }])
        disturbance.lose(call)
        await inTime(place, inner.release())
        expect((await far.inspect()).owners).toMatchObject([{ owner, holds: 1 }])
        disturbance.lose(call)
        await inTime(place, outer.release())
        expect(await far.isLocked()).toBe(false)
        // The mark of a request that was recognised is in nobody's way.
        await using _next = await inTime(place, lock.acquire({ owner }))
      })
    }

    given(place, 'namesHolder')(
      'X1: a forceUnlock whose answer is lost is an error, is sent once, and takes the lock from nobody who has it since',
      async () => {
        const [holdfast, disturbance] = place.disturbed()
        const lock = holdfast.lock(place.lockName())
        const far = place.holdfast().lock(lock.name)
        const hold = await far.acquire()
        const next = place.holdfast().lock(lock.name).acquire()
        await untilWaiting(place, lock, 1)
        disturbance.lose('forceUnlock')
        expect(await inTime(place, rejectionOf(lock.forceUnlock()))).toMatchObject({ transient: true })
        const held = await inTime(place, next)
        expect((await lock.inspect()).owners).toMatchObject([{ owner: held.owner }])
        await held.release()
        expect(await rejectionOf(hold.release())).toBeInstanceOf(LockLostError)
      },
    )

    detaching(
      'faults D1: an answer to detach or adopt that is lost counts once; a detach that fails leaves no lock to nobody',
      async () => {
        const [holdfast, disturbance] = place.disturbed()
        const lock = holdfast.lock(place.lockName())
        const far = place.holdfast().lock(lock.name)
        const hold = await lock.acquire()
        disturbance.lose('handOver')
        const ticket = await inTime(place, hold.detach(600_000))
        disturbance.lose('handOver', 2)
        const adopted = await inTime(place, lock.adopt(ticket))
        adopted.assertHeld()
        expect(await far.tryAcquire()).toBeNull()
        // Only this client gives up soon. On a slow machine it would do so for an answer that is lost once, too.
        const [impatient, cut] = place.disturbed({ storeTimeoutMs: place.lease(900) })
        const doomed = await impatient.lock(lock.name).adopt(await adopted.detach(600_000))
        cut.lose('handOver', 1_000)
        expect(await inTime(place, rejectionOf(doomed.detach(600_000)))).toBeInstanceOf(StoreError)
        const next = await inTime(place, far.acquire())
        const last = await next.detach(600_000)
        await (await inTime(place, lock.adopt(last))).release()
        expect(await far.isLocked()).toBe(false)
        for (const client of [holdfast, impatient]) await untilIdle(place, client)
      },
    )

    detaching(
      'faults D1: an adoption that the store never answers settles, and its lock is not left to nobody',
      async () => {
        const [holdfast, disturbance] = place.disturbed({ storeTimeoutMs: place.lease(900) })
        const lock = place.holdfast().lock(place.lockName())
        const ticket = await (await lock.acquire()).detach(600_000)
        disturbance.lose('handOver', 1_000)
        const adopting = rejectionOf(holdfast.lock(lock.name).adopt(ticket))
        expect(await inTime(place, adopting)).toBeInstanceOf(StoreError)
        await (await inTime(place, lock.acquire())).release()
        expect(await rejectionOf(lock.adopt(ticket))).toBeInstanceOf(LockLostError)
        await untilIdle(place, holdfast)
      },
    )

    test('S3, W4: what a call took that never heard of it is given back', async () => {
      const [holdfast, disturbance] = place.disturbed()
      const lock = holdfast.lock(place.lockName())
      const far = place.holdfast().lock(lock.name)
      disturbance.lose('acquire', 1_000)
      const failed = rejectionOf(lock.acquire({ waitMs: 150 }))
      expect(await inTime(place, failed)).toBeInstanceOf(LockTimeoutError)
      disturbance.lose('acquire', 0)
      await untilIdle(place, holdfast)
      expect(await far.isLocked()).toBe(false)
      await using _hold = await inTime(place, far.acquire())
    })

    inOrder('S6: a release sends news to one client, whoever else waits', async () => {
      const holder = place.holdfast().lock(place.lockName())
      const hold = await holder.acquire({ leaseMs: 600_000 })
      const waiters = []
      for (let index = 0; index < 3; index += 1) {
        const [holdfast, disturbance] = place.disturbed()
        waiters.push({ disturbance, acquiring: holdfast.lock(holder.name).acquire() })
        await untilWaiting(place, holder, index + 1)
      }
      const before = waiters.map(({ disturbance }) => disturbance.news)
      await hold.release()
      const first = await inTime(place, Promise.race(waiters.map(({ acquiring }) => acquiring)))
      const told = waiters.filter(({ disturbance }, index) => disturbance.news > (before[index] ?? 0))
      expect(told).toHaveLength(1)
      await first.release()
      for (const { acquiring } of waiters.slice(1)) await (await inTime(place, acquiring)).release()
    })

    test('J2, W6: a job whose store does not answer at its end settles, with its value, and is not run again before atMostMs', async () => {
      const [holdfast, disturbance] = place.disturbed({ storeTimeoutMs: place.lease(900) })
      const name = place.lockName()
      const terms = { atLeastMs: 30_000, atMostMs: 60_000 }
      const running = holdfast.job(name, terms, () => {
        disturbance.cut = true
        return 'done'
      })
      const error = await inTime(place, rejectionOf(running))
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ result: 'done' })
      disturbance.cut = false
      const outcome = await place.holdfast().job(name, terms, () => expect.unreachable())
      expect(outcome).toMatchObject({ ran: false })
    })

    test('L2, W6: an extension that the store does not answer settles, and the hold keeps the time that it had', async () => {
      const storeTimeoutMs = place.lease(900)
      const [holdfast, disturbance] = place.disturbed({ storeTimeoutMs })
      await using hold = await holdfast.lock(place.lockName()).acquire({ leaseMs: 60_000 })
      disturbance.cut = true
      expect(await inTime(place, rejectionOf(hold.extend(600_000)))).toBeInstanceOf(StoreError)
      hold.assertHeld()
      expect(hold.remainingMs()).toBeLessThan(60_000)
      disturbance.cut = false
      expect(await hold.extend(600_000)).toBeGreaterThan(500_000)
    })

    test('L3: a holder that is never heard of again has lost its lock one lease later, and knows', async () => {
      const watchdogMs = place.lease(900)
      const [holdfast, disturbance] = place.disturbed({ watchdogMs })
      const hold = await holdfast.lock(place.lockName()).acquire()
      disturbance.cut = true
      await using next = await inTime(place, place.holdfast().lock(hold.name).acquire())
      expect(hold.signal.aborted || hold.remainingMs() === 0).toBe(true)
      expect(() => hold.assertHeld()).toThrow(LockLostError)
      next.assertHeld()
    })

    test('S7: a connection that comes back within the lease has lost nothing', async () => {
      const watchdogMs = 4_500
      const [holdfast, disturbance] = place.disturbed({ watchdogMs })
      const [suspended, renewed] = [journalOf(holdfast, 'suspended'), journalOf(holdfast, 'renewed')]
      const lost = journalOf(holdfast, 'lost')
      await using held = await holdfast.lock(place.lockName()).acquire()
      const elsewhere = await place.holdfast().lock(place.lockName()).acquire({ leaseMs: 600_000 })
      const waiting = holdfast.lock(elsewhere.name).acquire()
      await untilWaiting(place, holdfast.lock(elsewhere.name), 1)
      disturbance.cut = true
      await place.eventually(() => suspended.length > 0)
      disturbance.cut = false
      const before = renewed.length
      await place.eventually(() => renewed.length > before)
      held.assertHeld()
      expect(lost).toEqual([])
      await elsewhere.release()
      await (await inTime(place, waiting)).release()
    })
  })
}
