/** Redisson's LockOptionsTest: how a spin lock's pauses grow, and when it asks by that. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { checkSpinOptions, type SpinOptions } from '../../src/kinds/options/spin-options.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { runsOr } from '../properties/runs.js'

const random = fc.double({ min: 0, max: 1, noNaN: true })

/** How long the pauses of the first attempts are at most, and at least. */
function spans(options: SpinOptions, attempts: number): { longest: number[]; shortest: number[] } {
  const polls = checkSpinOptions(options)
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1)
  return {
    longest: numbers.map((attempt) => polls.pauseMs(attempt, 1)),
    shortest: numbers.map((attempt) => polls.pauseMs(attempt, 0)),
  }
}

// Redisson adds a random amount to each pause; here a pause is drawn from the upper half of its span, so that it has a longest.
test('testExponentialBackoff: 1, 2, 4 … 128 ms, each drawn from its upper half', () => {
  const { longest, shortest } = spans({}, 10)
  expect(longest).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 128, 128])
  expect(shortest).toEqual(longest.map((ms) => ms / 2))
  const steeper = spans({ firstPauseMs: 10, longestPauseMs: 1_000, factor: 3 }, 6)
  expect(steeper.longest).toEqual([10, 30, 90, 270, 810, 1_000])
})

test('testConstantBackoff: a factor of 1 leaves all pauses alike', () => {
  const { longest, shortest } = spans({ firstPauseMs: 30, factor: 1 }, 50)
  expect(new Set(longest)).toEqual(new Set([30]))
  expect(new Set(shortest)).toEqual(new Set([15]))
})

test('testExponentialBackoff: whatever is asked for, no pause is shorter than half the first or longer than the longest', () => {
  const asked = fc.record({
    firstPauseMs: fc.integer({ min: 1, max: 10_000 }),
    more: fc.nat(100_000),
    factor: fc.double({ min: 1, max: 50, noNaN: true }),
    attempt: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000_000 })),
    random,
  })
  fc.assert(
    fc.property(asked, ({ firstPauseMs, more, factor, attempt, random }) => {
      const polls = checkSpinOptions({ firstPauseMs, longestPauseMs: firstPauseMs + more, factor })
      const pauseMs = polls.pauseMs(attempt, random)
      expect(pauseMs).toBeGreaterThanOrEqual(firstPauseMs / 2)
      expect(pauseMs).toBeLessThanOrEqual(firstPauseMs + more)
      expect(polls.pauseMs(attempt + 1, random)).toBeGreaterThanOrEqual(pauseMs)
    }),
    runsOr(1_000),
  )
})

test('testExponentialBackoff, testConstantBackoff: unusable numbers are refused before anything is sent', () => {
  const holdfast = new Holdfast(new MemoryStore())
  const refused: SpinOptions[] = [
    { firstPauseMs: 0 },
    { firstPauseMs: 1.5 },
    { firstPauseMs: 100, longestPauseMs: 99 },
    { longestPauseMs: Number.POSITIVE_INFINITY },
    { factor: 0.9 },
    { factor: Number.NaN },
  ]
  for (const options of refused)
    expect(() => holdfast.spinLock('lock', options)).toThrow(InvalidArgumentError)
})

test.each([
  ['testConstantBackoff', { firstPauseMs: 30, factor: 1 }],
  ['testExponentialBackoff', { firstPauseMs: 1, longestPauseMs: 128 }],
] as const)(
  '%s: a lock that comes free is had within the longest pause after that',
  async (_name, options) => {
    const longestMs = Math.max(...spans(options, 20).longest)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), async (heldMs) => {
        const clock = new VirtualClock()
        const store = new MemoryStore(clock)
        const [holding, waiting] = [new Holdfast(store), new Holdfast(store)]
        const hold = await holding.spinLock('lock').acquire({ leaseMs: 60_000 })
        let obtainedAt: number | undefined
        const wait = waiting.spinLock('lock', options).withLock(() => {
          obtainedAt = clock.now()
        })
        await clock.advance(heldMs)
        expect(obtainedAt).toBeUndefined()
        await hold.release()
        await clock.advance(longestMs)
        expect(obtainedAt).toBeLessThanOrEqual(heldMs + longestMs)
        await wait
        await Promise.all([holding.close(), waiting.close()])
      }),
      runsOr(40),
    )
  },
)
