/** What others got wrong about several locks as one: waits and leases that do not add up, orders that differ, members left behind. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { untilIdle } from '../../src/conformance/idle.js'
import { inTime } from '../../src/conformance/outcome.js'
import { Holdfast, type Lock } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from '../properties/runs.js'
import { sidesOf } from '../redisson/read-write-sides.js'
import { type Place, type PlaceName, placeOf } from '../setup/places.js'

const places: readonly PlaceName[] = ['memory-virtual-time', 'standalone']

describe.each(places)('multi-lock, %s', (placeName) => {
  const place = placeOf(placeName)
  afterEach(() => place.tidy())

  const turn = (at: Place): Promise<void> => at.pass(1)

  test('redisson#4050: reads and writes of the same things, in every order: all go through, and writers are alone', async () => {
    const name = place.lockName()
    const holdfasts = Array.from({ length: 5 }, () => place.holdfast())
    const inside = new Map<string, { readers: number; writers: number }>()
    const change = (key: string, side: 'readers' | 'writers', by: number): void => {
      const now = inside.get(key) ?? { readers: 0, writers: 0 }
      const next = { ...now, [side]: now[side] + by }
      inside.set(key, next)
      expect(next.writers === 0 || (next.writers === 1 && next.readers === 0)).toBe(true)
    }
    let sections = 0
    const task = async (holdfast: Holdfast, number: number): Promise<void> => {
      // Three of five things, begun anywhere, forwards and backwards, and at most one of them written.
      const things = [0, 1, 2].map((step) => `${name}:${(number + step * (number % 2 ? 1 : 4)) % 5}`)
      const sides = things.map((_, index) => (index === number % 3 ? 'writers' : 'readers'))
      const locks = things.map((thing, index): Lock => {
        const { read, write } = sidesOf(holdfast.readWriteLock(thing))
        return sides[index] === 'writers' ? write : read
      })
      await holdfast.multiLock(locks).withLock(async () => {
        things.forEach((thing, index) => void change(thing, sides[index] ?? 'readers', 1))
        await turn(place)
        sections += 1
        things.forEach((thing, index) => void change(thing, sides[index] ?? 'readers', -1))
      })
    }
    const tasks = holdfasts.flatMap((holdfast, index) =>
      Array.from({ length: 12 }, (_, number) => task(holdfast, number * 5 + index)),
    )
    await inTime(place, Promise.all(tasks))
    expect(sections).toBe(60)
    for (const holdfast of holdfasts) await untilIdle(place, holdfast)
  })
})

describe('the arithmetic of a multi-lock', () => {
  const caller = fc.record({
    startsAtMs: fc.nat(500),
    waitMs: fc.option(fc.integer({ min: 1_000, max: 8_000 }), { nil: undefined }),
    leaseMs: fc.integer({ min: 50, max: 900 }),
    part: fc.double({ min: 0, max: 0.9, noNaN: true }),
  })

  // In Redisson a lease that was shorter than the wait, or any lease with no limit to the wait, let several in at once.
  test('redisson#624, #2172: with leases shorter than the waits, and waits without end, one is inside at a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(caller, { minLength: 2, maxLength: 6 }), async (callers) => {
        const clock = new VirtualClock()
        const store = new MemoryStore(clock)
        const holdfasts = callers.map(() => new Holdfast(store))
        const pause = (ms: number): Promise<void> =>
          new Promise((resolve) => void clock.startTimer(resolve, ms))
        let inside = 0
        let served = 0
        const calls = callers.map(async ({ startsAtMs, waitMs, leaseMs, part }, index) => {
          await pause(startsAtMs)
          const holdfast = holdfasts[index]
          const locks = [0, 1, 2].map((member) => holdfast?.lock(`member:${(index + member) % 3}`))
          const multi = holdfast?.multiLock(locks.filter((lock) => lock !== undefined))
          const hold = await multi?.acquire({ leaseMs, ...(waitMs !== undefined && { waitMs }) })
          inside += 1
          expect(inside).toBe(1)
          // All of the lease, less the drift of clocks: none of it went for the wait.
          expect(hold?.remainingMs()).toBeCloseTo(leaseMs * 0.99 - 2, 5)
          await pause((leaseMs * 0.99 - 2) * part)
          hold?.assertHeld()
          expect(inside).toBe(1)
          inside -= 1
          served += 1
          await hold?.release()
        })
        const all = Promise.all(calls)
        await clock.advance(10_000)
        await all
        expect(served).toBe(callers.length)
        await Promise.all(holdfasts.map((holdfast) => holdfast.close()))
      }),
      runsOr(80),
    )
  })

  const busy = fc.array(fc.integer({ min: 10, max: 1_500 }), { minLength: 2, maxLength: 6 })

  test('redisson#1160: members that come free one after another: one wait for all of them, neither their sum nor a part for each', async () => {
    await fc.assert(
      fc.asyncProperty(busy, fc.integer({ min: 100, max: 2_000 }), async (leases, waitMs) => {
        const clock = new VirtualClock()
        const store = new MemoryStore(clock)
        const [holding, waiting] = [new Holdfast(store), new Holdfast(store)]
        for (const [index, leaseMs] of leases.entries())
          await holding.lock(`member:${index}`).acquire({ leaseMs })
        const longestMs = Math.max(...leases)
        let endedAt = Number.NaN
        const call = waiting
          .multiLock(leases.map((_, index) => waiting.lock(`member:${index}`)))
          .tryAcquire({ waitMs })
          .finally(() => {
            endedAt = clock.now()
          })
        await clock.advance(5_000)
        const hold = await call
        // A member whose holder's lease ends with the wait may be had or not.
        if (longestMs <= waitMs - 5) expect(hold).not.toBeNull()
        if (longestMs > waitMs) expect(hold).toBeNull()
        expect(endedAt).toBeGreaterThanOrEqual(hold ? longestMs : waitMs - 1)
        expect(endedAt).toBeLessThanOrEqual(hold ? longestMs + 5 : waitMs + 1)
        await Promise.all([holding.close(), waiting.close()])
      }),
      runsOr(80),
    )
  })
})
