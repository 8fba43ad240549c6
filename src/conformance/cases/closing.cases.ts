import { describe, expect, test } from 'vitest'
import { ClosedError, type Holdfast } from '../../index.js'
import { sumOf, untilIdle, untilWaiting } from '../idle.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** The end of a client. That nothing is left alive after close is checked after each test of the suite, by `tidy`. */
export function closingCases(place: Place): void {
  describe('close', () => {
    test('W4: close ends every wait with ClosedError, and nothing waits any more', async () => {
      const { holdfast, lock, far } = scene(place)
      const hold = await far.acquire({ leaseMs: 600_000 })
      const waits = [
        lock.acquire(),
        lock.tryAcquire({ waitMs: 60_000 }),
        lock.withLock(() => expect.unreachable()),
        holdfast.run(() => lock.lock()),
        holdfast.run(() => lock.tryLock({ waitMs: 60_000 })),
      ].map((wait) => rejectionOf(wait))
      await untilWaiting(place, far, 1)
      await holdfast.close()
      for (const error of await Promise.all(waits)) {
        expect(error).toBeInstanceOf(ClosedError)
        expect(error).toMatchObject({ code: 'CLOSED', lockName: lock.name })
      }
      expect(sumOf(holdfast)).toBe(0)
      await untilWaiting(place, far, 0)
      await hold.release()
      expect(await far.isLocked()).toBe(false)
    })

    test('after close every call is refused with ClosedError', async () => {
      const { holdfast, lock, owner } = scene(place)
      const hold = await holdfast.lock(place.lockName()).acquire({ leaseMs: 5_000 })
      await lock.lock({ owner, leaseMs: 5_000 })
      await holdfast.close()
      const calls: Array<() => Promise<unknown>> = [
        () => lock.acquire(),
        () => lock.tryAcquire(),
        () => lock.withLock(() => expect.unreachable()),
        () => lock.lock({ owner }),
        () => lock.tryLock({ owner }),
        () => holdfast.run(() => lock.lock()),
        () => lock.unlock({ owner }),
        () => lock.isLocked(),
        () => lock.isHeld(owner),
        () => lock.holdCount(owner),
        () => lock.remainingMs(),
        () => lock.inspect(),
        () => lock.countWaitingClients(),
        () => lock.forceUnlock(),
        () => holdfast.lock('made after close').acquire(),
        async () => {
          for await (const state of holdfast.list()) expect.unreachable(state.name)
        },
        () => hold.release(),
      ]
      for (const call of calls) expect(await rejectionOf(call()), String(call)).toBeInstanceOf(ClosedError)
      expect(sumOf(holdfast)).toBe(0)
    })

    test('what is held is told: the signal aborts with ClosedError, assertHeld throws it', async () => {
      const { holdfast, lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: 5_000 })
      const { signal } = hold
      await holdfast.close()
      expect(signal.aborted).toBe(true)
      expect(signal.reason).toBeInstanceOf(ClosedError)
      expect(() => hold.assertHeld()).toThrow(ClosedError)
      expect(await rejectionOf(hold.release())).toBeInstanceOf(ClosedError)
      expect(lost).toEqual([])
    })

    test('what is held stays locked until its lease ends: its work may still be running', async () => {
      const holdfast = place.holdfast({ watchdogMs: place.lease(800) })
      const far = place.holdfast()
      const [watched, leased] = [holdfast.lock(place.lockName()), holdfast.lock(place.lockName())]
      const holds = [await watched.acquire(), await leased.acquire({ leaseMs: place.lease(800) })]
      const from = place.now()
      const leftMs = holds.map((hold) => hold.remainingMs())
      await holdfast.close()
      for (const [index, { name }] of [watched, leased].entries()) {
        await (await inTime(place, far.lock(name).acquire())).release()
        expect(place.now() - from).toBeGreaterThanOrEqual((leftMs[index] ?? Infinity) - 2)
      }
    })

    test('a section that runs while the client is closed rejects with ClosedError once it has settled', async () => {
      const { holdfast, lock } = scene(place)
      const own = new Error('own')
      const closing = lock.withLock({ leaseMs: 5_000 }, () => holdfast.close())
      expect(await rejectionOf(closing)).toBeInstanceOf(ClosedError)
      const another = place.holdfast()
      const failing = another.lock(place.lockName()).withLock({ leaseMs: 5_000 }, async () => {
        await another.close()
        throw own
      })
      expect(await rejectionOf(failing)).toBe(own)
    })

    test('close is idempotent: twice, side by side, and by `await using`', async () => {
      const holdfast = place.holdfast()
      await holdfast.lock(place.lockName()).withLock(() => undefined)
      await Promise.all([holdfast.close(), holdfast.close()])
      await holdfast.close({ drainMs: 600_000 })
      expect(sumOf(holdfast)).toBe(0)
      const block = async (): Promise<Holdfast> => {
        await using disposed = place.holdfast()
        await disposed.lock(place.lockName()).withLock(() => undefined)
        return disposed
      }
      const disposed = await block()
      expect(await rejectionOf(disposed.lock('x').acquire())).toBeInstanceOf(ClosedError)
    })

    test('H5: draining lets what runs end and gives it back, and refuses what is new at once', async () => {
      const { holdfast, lock } = scene(place)
      const far = place.holdfast()
      const other = place.lockName()
      await using _stranger = await far.lock(other).acquire({ leaseMs: 600_000 })
      const [entered, finish] = [new Latch(), new Latch()]
      const section = lock.withLock(async (hold) => {
        entered.open()
        await finish.opened
        expect(hold.signal.aborted).toBe(false)
        // What it holds it may hold once more.
        await lock.withLock(() => undefined)
        return 'done'
      })
      const waiting = rejectionOf(holdfast.lock(other).acquire())
      const behind = rejectionOf(lock.acquire())
      await entered.opened
      await place.eventually(() => holdfast.metrics().waiting === 2)
      const closed = new Latch()
      const closing = holdfast.close({ drainMs: 60_000 }).then(() => closed.open())
      expect(await waiting).toBeInstanceOf(ClosedError)
      expect(await behind).toBeInstanceOf(ClosedError)
      expect(await rejectionOf(holdfast.lock(place.lockName()).acquire())).toBeInstanceOf(ClosedError)
      expect(await rejectionOf(lock.tryAcquire())).toBeInstanceOf(ClosedError)
      expect(closed.isOpen).toBe(false)
      finish.open()
      expect(await section).toBe('done')
      await inTime(place, closing)
      expect(await far.lock(lock.name).isLocked()).toBe(false)
      expect(sumOf(holdfast)).toBe(0)
    })

    test('H5: draining lets a call that does not wait be answered, and what it is granted end', async () => {
      const { holdfast, lock } = scene(place)
      const far = place.holdfast()
      await using taken = await far.lock(place.lockName()).acquire({ leaseMs: 600_000 })
      const asking = Promise.all([lock.tryAcquire(), holdfast.lock(taken.name).tryAcquire()])
      const closed = new Latch()
      const closing = holdfast.close({ drainMs: 60_000 }).then(() => closed.open())
      const [hold, refused] = await asking
      expect(refused).toBeNull()
      expect(hold?.signal.aborted).toBe(false)
      expect(await far.lock(lock.name).tryAcquire()).toBeNull()
      expect(closed.isOpen).toBe(false)
      await hold?.release()
      await inTime(place, closing)
      expect(await far.lock(lock.name).isLocked()).toBe(false)
      expect(sumOf(holdfast)).toBe(0)
    })

    test('H5: draining lets a call for several locks that does not wait be answered to its end', async () => {
      const [holdfast, far] = [place.holdfast(), place.holdfast()]
      const several = holdfast.multiLock([holdfast.lock(place.lockName()), holdfast.lock(place.lockName())])
      const stripes = far.stripedLock(place.lockName(), 3)
      const taken = await Promise.all(
        [0, 1, 2].map((index) => stripes.stripe(index).acquire({ leaseMs: 600_000 })),
      )
      const any = holdfast.stripedLock(stripes.name, 3).tryAcquireAny()
      const asking = Promise.all([several.tryAcquire(), any])
      const closing = holdfast.close({ drainMs: 60_000 })
      const [hold, refused] = await asking
      expect(refused).toBeNull()
      expect(hold?.signal.aborted).toBe(false)
      expect(await rejectionOf(several.tryAcquire())).toBeInstanceOf(ClosedError)
      await hold?.release()
      await inTime(place, closing)
      expect(sumOf(holdfast)).toBe(0)
      for (const each of taken) await each.release()
    })

    test('faults D5: close lets a single attempt that is under way be answered; a job that is granted runs', async () => {
      const { holdfast, lock } = scene(place)
      const far = place.holdfast()
      await using taken = await far.lock(place.lockName()).acquire({ leaseMs: 600_000 })
      const name = place.lockName()
      let ran = false
      const job = holdfast.job(name, { atLeastMs: 0, atMostMs: 60_000 }, ({ signal }) => {
        ran = true
        return signal
      })
      const asking = Promise.all([
        lock.tryAcquire({ leaseMs: 60_000 }),
        holdfast.lock(taken.name).tryAcquire(),
        rejectionOf(job),
      ])
      const waiting = rejectionOf(holdfast.lock(taken.name).acquire())
      const closing = holdfast.close()
      const [hold, refused, jobEnd] = await inTime(place, asking)
      expect(refused).toBeNull()
      expect(await waiting).toBeInstanceOf(ClosedError)
      expect(ran).toBe(true)
      expect(jobEnd).toBeInstanceOf(ClosedError)
      await inTime(place, closing)
      expect(hold?.signal.reason).toBeInstanceOf(ClosedError)
      expect(await far.lock(lock.name).isLocked()).toBe(true)
      expect(sumOf(holdfast)).toBe(0)
      for (const each of [lock.name, name]) await far.lock(each).forceUnlock()
    })

    test('H5: draining renews what it waits for', async () => {
      const { holdfast, lock, renewed } = scene(place, place.holdfast({ watchdogMs: 4_500 }))
      const hold = await lock.acquire()
      const closing = holdfast.close({ drainMs: 60_000 })
      const before = renewed.length
      await place.eventually(() => renewed.length >= before + 2)
      hold.assertHeld()
      await hold.release()
      await inTime(place, closing)
    })

    test('H5: when its time is over signals abort, and the locks stay until their leases end', async () => {
      const [holdfast, far] = [place.holdfast(), place.holdfast()]
      const hold = await holdfast.lock(place.lockName()).acquire({ leaseMs: 60_000 })
      const aborted = new Promise((resolve) => hold.signal.addEventListener('abort', resolve))
      const closing = holdfast.close({ drainMs: 300 })
      expect(hold.signal.aborted).toBe(false)
      await inTime(place, Promise.all([aborted, closing]))
      expect(hold.signal.reason).toBeInstanceOf(ClosedError)
      expect(await far.lock(hold.name).isLocked()).toBe(true)
      expect(await far.lock(hold.name).forceUnlock()).toBe(true)
    })

    test('H5: a second call shortens the draining, and does not put it off', async () => {
      const holdfast = place.holdfast()
      const hold = await holdfast.lock(place.lockName()).acquire({ leaseMs: 60_000 })
      const draining = holdfast.close({ drainMs: 600_000 })
      const shorter = holdfast.close()
      await inTime(place, Promise.all([draining, shorter]))
      expect(hold.signal.aborted).toBe(true)
    })

    test('H5: with nothing held draining takes no time', async () => {
      const holdfast = place.holdfast()
      await holdfast.lock(place.lockName()).withLock(() => undefined)
      await inTime(place, holdfast.close({ drainMs: 600_000 }))
    })

    test('bad options are refused, and nothing is closed', async () => {
      const holdfast = place.holdfast()
      const unusable = [
        { drainMs: -1 },
        { drainMs: 0.5 },
        { timeoutMs: Number.NaN },
        { drainMS: 5, drainMs: 5 },
      ]
      for (const options of unusable) {
        expect(await rejectionOf(holdfast.close(options))).toMatchObject({ code: 'INVALID_ARGUMENT' })
      }
      await holdfast.lock(place.lockName()).withLock(() => undefined)
    })

    test('W4: a grant that is on its way when the client closes is given back', async () => {
      for (let turns = 0; turns < 6; turns += 1) {
        const { holdfast, lock } = scene(place)
        expect(await lock.isLocked()).toBe(false)
        const outcome = lock.acquire({ leaseMs: 600_000 }).then(
          (hold) => hold.release(),
          (error: unknown) => expect(error).toBeInstanceOf(ClosedError),
        )
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        await Promise.all([holdfast.close(), outcome])
        expect(await place.holdfast().lock(lock.name).isLocked()).toBe(false)
      }
    })

    test('L5: a release that is on its way when the client closes is carried out', async () => {
      const { holdfast, lock } = scene(place)
      const hold = await lock.acquire({ leaseMs: 600_000 })
      await Promise.all([hold.release(), holdfast.close()])
      expect(await place.holdfast().lock(lock.name).isLocked()).toBe(false)
    })

    test('W4: an idle client has nothing alive, before it is closed', async () => {
      const { holdfast, lock } = scene(place)
      await Promise.all(Array.from({ length: 5 }, () => lock.withLock(() => lock.withLock(() => undefined))))
      await holdfast.run(async () => {
        await lock.lock()
        await lock.unlock()
      })
      await untilIdle(place, holdfast)
    })
  })
}
