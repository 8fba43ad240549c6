import { describe, expect, test } from 'vitest'
import { type Holdfast, InvalidArgumentError, LockLostError, labelOf } from '../../index.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Runs that take longer than any lease that has to end in a test. */
const LONG = { atLeastMs: 60_000, atMostMs: 600_000 }

/** One run per fleet and fire time: `holdfast.job`. */
export function jobCases(place: Place): void {
  const whereEnded = given(place, 'endsLeases')
  const whereNamed = given(place, 'namesHolder')
  const whereNamedAndEnded = given(place, 'namesHolder', 'endsLeases')
  describe('job', () => {
    const machines = (count: number): Holdfast[] => Array.from({ length: count }, () => place.holdfast())

    test('J1: of all machines that fire, one runs the job and has its value', async () => {
      const name = place.lockName()
      let runs = 0
      const outcomes = await Promise.all(
        machines(4).map((machine) =>
          machine.job(name, LONG, () => {
            runs += 1
            return `run ${runs}`
          }),
        ),
      )
      expect(outcomes.filter(({ ran }) => ran)).toEqual([{ ran: true, value: 'run 1' }])
      expect(outcomes.filter(({ ran }) => !ran)).toHaveLength(3)
      expect(runs).toBe(1)
    })

    whereNamed(
      'J1: whoever fires while the job runs does not run it, nor the process in which it runs, nor the run itself',
      async () => {
        const [here, there] = [place.holdfast(), place.holdfast()]
        const name = place.lockName()
        const terms = { atLeastMs: 0, atMostMs: 600_000 }
        const outcome = await here.job(name, terms, async (hold) => {
          const inner = [there, here].map((machine) => machine.job(name, terms, () => expect.unreachable()))
          const holder = place.traits.namesHolder ? hold.owner : expect.anything()
          for (const skipped of await Promise.all(inner))
            expect(skipped).toMatchObject({ ran: false, holder })
          return 'done'
        })
        expect(outcome).toEqual({ ran: true, value: 'done' })
      },
    )

    whereNamedAndEnded(
      'J2: a job that ends sooner stays taken for atLeastMs, for machines whose clocks are behind; then it is free',
      async () => {
        const [first, behind] = [place.holdfast(), place.holdfast()]
        const name = place.lockName()
        const atLeastMs = place.lease(2_000)
        // With the connection made, it asks before that time is over.
        expect(await behind.lock(name).isLocked()).toBe(false)
        const startedAt = place.now()
        const terms = { atLeastMs, atMostMs: 600_000 }
        expect(await first.job(name, terms, () => 'done')).toEqual({ ran: true, value: 'done' })
        expect(await behind.lock(name).remainingMs()).toBeLessThan(60_000)
        expect(await behind.job(name, terms, () => 'too early')).toMatchObject({ ran: false })
        expect(await first.job(name, terms, () => 'too early')).toMatchObject({ ran: false })
        await untilIdle(place, first)
        // The next firing.
        const next = await inTime(place, behind.lock(name).acquire())
        expect(place.now() - startedAt).toBeGreaterThanOrEqual(atLeastMs - 2)
        await next.release()
        expect(await first.job(name, terms, () => 'next')).toEqual({ ran: true, value: 'next' })
      },
    )

    whereNamed('J2: atLeastMs is kept although the client that ran the job is closed', async () => {
      const [first, behind] = [place.holdfast(), place.holdfast()]
      const name = place.lockName()
      await first.job(name, LONG, () => undefined)
      await first.close()
      const kept = await behind.job(name, LONG, () => expect.unreachable())
      expect(!kept.ran && labelOf(kept.holder ?? '')).toBe(labelOf(first.owner()))
      expect(await behind.lock(name).remainingMs()).toBeGreaterThan(40_000)
      expect(await behind.lock(name).remainingMs()).toBeLessThanOrEqual(60_000)
    })

    test('J2: a run that took atLeastMs or longer frees the lock at once', async () => {
      const [first, second] = [place.holdfast(), place.holdfast()]
      const name = place.lockName()
      const atLeastMs = place.lease(100)
      const terms = { atLeastMs, atMostMs: 600_000 }
      await first.job(name, terms, () => place.pass(atLeastMs + 20))
      expect(await second.lock(name).isLocked()).toBe(false)
      expect(await second.job(name, terms, () => 'next')).toEqual({ ran: true, value: 'next' })
    })

    test('J2: a run that fails is told to its caller, and counts as a run for atLeastMs', async () => {
      const [first, behind] = [place.holdfast(), place.holdfast()]
      const name = place.lockName()
      const own = new Error('own')
      const failing = first.job(name, LONG, () => {
        throw own
      })
      expect(await rejectionOf(failing)).toBe(own)
      expect(await behind.job(name, LONG, () => expect.unreachable())).toMatchObject({ ran: false })
    })

    whereEnded('J3: a job whose process dies is free for the next firing after atMostMs', async () => {
      const [dying, next] = [place.holdfast(), place.holdfast()]
      const name = place.lockName()
      const atMostMs = place.lease(1_350)
      // With the connection made, it asks before that time is over.
      expect(await next.lock(name).isLocked()).toBe(false)
      const dead = rejectionOf(dying.job(name, { atLeastMs: 0, atMostMs }, () => dying.close()))
      await inTime(place, dead)
      expect(await next.job(name, LONG, () => expect.unreachable())).toMatchObject({ ran: false })
      await (await inTime(place, next.lock(name).acquire())).release()
      expect(await next.job(name, LONG, () => 'next')).toEqual({ ran: true, value: 'next' })
    })

    test('J3, L6: a run that takes longer than atMostMs has lost the lock and knows; one that asks for more time has it', async () => {
      const holdfast = place.holdfast()
      const atMostMs = place.lease(1_350)
      const terms = { atLeastMs: 0, atMostMs }
      const overrun = holdfast.job(place.lockName(), terms, async ({ signal }) => {
        await place.eventually(() => signal.aborted)
        return 'late'
      })
      const error = await inTime(place, rejectionOf(overrun))
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({ reason: 'lease-expired', result: 'late' })
      const extended = holdfast.job(place.lockName(), terms, async (hold) => {
        await hold.extend(20 * atMostMs)
        await place.pass(atMostMs)
        hold.assertHeld()
        return 'in time'
      })
      expect(await inTime(place, extended)).toEqual({ ran: true, value: 'in time' })
    })

    test('J2, O2: what a run takes of its own lock changes nothing of the time it stays taken', async () => {
      const { holdfast, lock } = scene(place)
      await holdfast.job(lock.name, LONG, () => lock.withLock((hold) => hold.assertHeld()))
      expect(await lock.remainingMs()).toBeGreaterThan(40_000)
      expect(await lock.tryAcquire()).toBeNull()
    })

    test('what is no job is an InvalidArgumentError, and nothing runs', async () => {
      const holdfast = place.holdfast()
      const name = place.lockName()
      const none = [
        { atLeastMs: -1, atMostMs: 1_000 },
        { atLeastMs: 0, atMostMs: 9 },
        { atLeastMs: 1_001, atMostMs: 1_000 },
        { atLeastMs: 0.5, atMostMs: 1_000 },
        { atLeastMs: 0, atMostMs: Infinity },
        { atLeastMs: 0, atMostMs: 1_000, waitMs: 5 },
      ]
      for (const terms of none) {
        const error = await rejectionOf(holdfast.job(name, terms, () => expect.unreachable()))
        expect(error, JSON.stringify(terms)).toBeInstanceOf(InvalidArgumentError)
      }
      expect(await holdfast.lock(name).isLocked()).toBe(false)
    })
  })
}
