import { describe, expect, test } from 'vitest'
import { LockTimeoutError, NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { countWaitingClients, untilIdle, untilWaiting } from '../idle.js'
import { Latch } from '../latch.js'
import { handingOn, line, seen } from '../line.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** What the call that a lock is handed to has, what is left to the one before, and what an heir that leaves leaves behind. */
export function handOverHeirsCases(place: Place): void {
  describe('hand-over within the process: the heir and who was before', () => {
    for (const [terms, options] of [
      ['with a lease', { leaseMs: 60_000 }],
      ['under the watchdog', {}],
    ] as const) {
      given(place, 'namesHolder')(
        `O1: the heir’s hold is as good as any other, and its client names it as the holder (${terms})`,
        async () => {
          const { holdfast, lock } = scene(place, handingOn(place))
          const [hold, [heir]] = await line(place, lock, {}, options)
          await hold.release()
          const mine = await heir
          expect(mine.owner).not.toBe(hold.owner)
          mine.assertHeld()
          expect(mine.remainingMs()).toBeGreaterThan(20_000)
          expect(mine.signal.aborted).toBe(false)
          const inner = await mine.run(() => lock.acquire())
          expect(inner.owner).toBe(mine.owner)
          const owners = [{ owner: mine.owner, holds: 2 }]
          expect((await lock.inspect()).owners).toMatchObject(owners)
          for await (const state of holdfast.list(lock.name)) expect(state).toMatchObject({ owners })
          expect(await lock.holdCount(mine.owner)).toBe(2)
          expect(await lock.isHeld(hold.owner)).toBe(false)
          expect(await mine.run(() => lock.isHeld())).toBe(true)
          expect(await rejectionOf(lock.acquire({ waitMs: 0 }))).toMatchObject({ holder: mine.owner })
          await inner.release()
          expect(await mine.run(() => lock.holdCount())).toBe(1)
          await mine.release()
          expect(() => mine.assertHeld()).toThrow(NotOwnerError)
          expect(await lock.isLocked()).toBe(false)
        },
      )

      test(`O5: the previous owner’s unlock is a NotOwnerError, and changes nothing (${terms})`, async () => {
        const { lock, owner } = scene(place, handingOn(place))
        await lock.lock({ owner })
        const heir = lock.acquire(options)
        await untilWaiting(place, lock, 1)
        await lock.unlock({ owner })
        await using mine = await heir
        const before = await seen(place, lock)
        const error = await rejectionOf(lock.unlock({ owner }))
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ owner, holder: mine.owner })
        expect(await seen(place, lock)).toEqual(before)
        mine.assertHeld()
      })

      test(`O5: the previous hold’s second release does nothing (${terms})`, async () => {
        const lock = handingOn(place).lock(place.lockName())
        const [hold, [heir]] = await line(place, lock, {}, options)
        await Promise.all([hold.release(), hold.release()])
        const mine = await heir
        const before = await seen(place, lock)
        await hold.release()
        expect(() => hold.assertHeld()).toThrow(NotOwnerError)
        expect(hold.remainingMs()).toBe(0)
        expect(await seen(place, lock)).toEqual(before)
        await mine.release()
        expect(await lock.isLocked()).toBe(false)
      })

      test(`W4: an heir that is aborted around the hand-over leaves nothing; the next gets in (${terms})`, async () => {
        for (let turns = -1; turns < 5; turns += 1) {
          const { holdfast, lock } = scene(place, handingOn(place))
          const abort = new AbortController()
          const [hold, [first, second]] = await line(
            place,
            lock,
            {},
            { ...options, signal: abort.signal },
            options,
          )
          if (turns < 0) abort.abort()
          const releasing = hold.release()
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
          abort.abort()
          // Once it has the lock the signal has no effect.
          await first.then(
            (mine) => mine.release(),
            (error: unknown) => expect(error).toBe(abort.signal.reason),
          )
          await releasing
          await (await second).release()
          await untilIdle(place, holdfast)
          expect(await lock.isLocked()).toBe(false)
        }
      })

      test(`W5: an heir whose time ends around the hand-over leaves nothing (${terms})`, async () => {
        for (const early of [2, 1, 0, -1]) {
          const { holdfast, lock } = scene(place, handingOn(place))
          const waitMs = place.lease(150)
          const hold = await lock.acquire()
          // On a busy machine its time may end before the release, and before anybody has seen it wait.
          const over = new Latch()
          const ended = lock
            .acquire({ ...options, waitMs })
            .then(
              (mine) => mine.release(),
              (error: unknown) => expect(error).toBeInstanceOf(LockTimeoutError),
            )
            .finally(() => over.open())
          await place.eventually(async () => over.isOpen || (await countWaitingClients(place, lock)) === 1)
          await place.pass(waitMs - early)
          const releasing = hold.release()
          await inTime(place, ended)
          await releasing
          await untilIdle(place, holdfast)
          expect(await lock.isLocked()).toBe(false)
        }
      })
    }
  })
}
