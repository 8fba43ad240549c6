/** The arithmetic of one wait for several locks, where Redisson's multi-lock has had its faults (#624, #1160, #2172, #4050). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { waitLeft } from '../../src/kinds/several/wait-left.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from '../properties/runs.js'

const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 })

test('#27: steps that each use all they are given end in time, however many there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), steps, (waitMs, tookMs) => {
      let elapsedMs = 0
      for (const wanted of tookMs) {
        const left = waitLeft(waitMs, elapsedMs)
        if (left === undefined) {
          expect(elapsedMs).toBeGreaterThanOrEqual(waitMs)
          return
        }
        expect(left).toBeGreaterThan(0)
        // Never more than is left of the whole, but for the moment that an answer needs.
        expect(left).toBeLessThanOrEqual(Math.max(waitMs - elapsedMs, 1))
        elapsedMs += Math.min(wanted, left)
        expect(elapsedMs).toBeLessThanOrEqual(Math.max(waitMs, 100) + tookMs.length)
      }
    }),
    runsOr(1_000),
  )
})

test('#27: one attempt stays one, and no end has none', () =>
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (elapsedMs) => {
      expect(waitLeft(0, elapsedMs)).toBe(0)
      expect(waitLeft(Number.POSITIVE_INFINITY, elapsedMs)).toBe(Number.POSITIVE_INFINITY)
    }),
    runsOr(200),
  ))

const plan = fc.record({
  heldMs: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 2, maxLength: 5 }),
  waitMs: fc.integer({ min: 100, max: 1_000 }),
  leaseMs: fc.option(fc.integer({ min: 10, max: 600 }), { nil: undefined }),
})

test('#27, redisson#624, #2172, #1160: whatever the members’ holders do, the call ends by waitMs with all or none, and a lease is whole at its start', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ heldMs, waitMs, leaseMs }) => {
      const clock = new VirtualClock()
      const store = new MemoryStore(clock)
      const [holdfast, other] = [new Holdfast(store), new Holdfast(store)]
      const locks = heldMs.map((_, index) => holdfast.lock(`member:${index}`))
      for (const [index, ms] of heldMs.entries()) {
        if (ms >= 10) await other.lock(`member:${index}`).acquire({ leaseMs: ms })
      }
      let endedAt = Number.NaN
      const call = holdfast
        .multiLock(locks)
        .tryAcquire({ waitMs, ...(leaseMs !== undefined && { leaseMs }) })
        .then((hold) => {
          endedAt = clock.now()
          return { hold, remainingMs: hold?.remainingMs() ?? 0 }
        })
      for (let step = 0; step < 1_200 && Number.isNaN(endedAt); step += 5) await clock.advance(5)
      const { hold, remainingMs } = await call
      const freeAt = Math.max(...heldMs.map((ms) => (ms >= 10 ? ms : 0)))
      expect(endedAt).toBeLessThanOrEqual(waitMs + 5)
      // Not refused while there was time, nor granted before all were free.
      if (freeAt < waitMs - 10) expect(hold).not.toBeNull()
      if (freeAt > waitMs) expect(hold).toBeNull()
      if (hold) {
        expect(endedAt).toBeGreaterThanOrEqual(freeAt)
        if (leaseMs !== undefined) {
          const whole = leaseMs - leaseMs * 0.01 - 2
          expect(remainingMs).toBeGreaterThan(whole - 0.001)
          expect(remainingMs).toBeLessThanOrEqual(whole + 0.001)
        }
        await hold.release()
      } else {
        await clock.advance(1_000)
        for (const lock of locks) expect(await lock.isLocked()).toBe(false)
      }
      await Promise.all([holdfast.close(), other.close()])
    }),
    runsOr(60),
  )
})
