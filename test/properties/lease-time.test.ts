import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LeaseTime } from '../../src/base/time/clock.js'
import { forAll } from './runs.js'

/** How far the wall clock may run ahead unnoticed. */
const TOLERANCE_MS = 50

/** What two clocks do between two readings: the monotonic one goes on, the wall clock goes anywhere. */
const readings = fc.array(
  fc.record({
    passedMs: fc.oneof(fc.nat(100), fc.double({ min: 0, max: 1_000, noNaN: true })),
    wallMs: fc.oneof(fc.nat(100), fc.integer({ min: -7_200_000, max: 7_200_000 })),
  }),
  { minLength: 1, maxLength: 60 },
)

test('L3, H11: time never goes back, and on the whole never passes more slowly than on either clock', () =>
  forAll(readings, 500, (steps) => {
    const time = new LeaseTime()
    let monotonic = 0
    let wall = 1_700_000_000_000
    const first = { monotonic, wall, at: time.at(monotonic, wall) }
    let before = first
    for (const { passedMs, wallMs } of steps) {
      monotonic += passedMs
      wall += wallMs
      const at = time.at(monotonic, wall)
      // Rounding of numbers as large as a wall clock's.
      expect(at - before.at).toBeGreaterThanOrEqual(monotonic - before.monotonic - 0.01)
      // From the beginning: a wall clock that was set back may be put right again, which takes no time.
      expect(at - first.at).toBeGreaterThanOrEqual(wall - first.wall - TOLERANCE_MS - 0.01)
      before = { monotonic, wall, at }
    }
  }))

test('L3: while the wall clock only ever falls behind or keeps step, it changes nothing', () =>
  forAll(fc.array(fc.tuple(fc.nat(1_000), fc.nat(5_000)), { maxLength: 60 }), 500, (steps) => {
    const time = new LeaseTime()
    let monotonic = 0
    let wall = 1_700_000_000_000
    for (const [passedMs, behindMs] of steps) {
      monotonic += passedMs
      wall += passedMs - behindMs
      expect(time.at(monotonic, wall)).toBe(monotonic)
    }
  }))
