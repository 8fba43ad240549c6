import { describe, expect, test } from 'vitest'
import { LeaseTime } from '../../src/base/time/clock.js'

const HOUR_MS = 3_600_000

describe('LeaseTime', () => {
  test('L3: with both clocks in step it is the monotonic one', () => {
    const time = new LeaseTime()
    expect(time.at(1_000, 500_000)).toBe(1_000)
    expect(time.at(1_250, 500_250)).toBe(1_250)
  })

  test('L3: a wall clock that jumped ahead counts, once', () => {
    const time = new LeaseTime()
    time.at(0, 0)
    expect(time.at(10, HOUR_MS + 10)).toBe(HOUR_MS + 10)
    expect(time.at(20, HOUR_MS + 20)).toBe(HOUR_MS + 20)
    expect(time.at(30, 2 * HOUR_MS + 30)).toBe(2 * HOUR_MS + 30)
  })

  test('L3: a wall clock that was set back takes nothing away', () => {
    const time = new LeaseTime()
    time.at(0, HOUR_MS)
    expect(time.at(10, 10)).toBe(10)
    expect(time.at(20, 20)).toBe(20)
  })

  test('a machine that sleeps after its wall clock was set back is noticed all the same', () => {
    const time = new LeaseTime(() => 4_970)
    time.at(0, HOUR_MS)
    time.at(10, 10)
    expect(time.at(20, 5_000)).toBe(5_000)
  })

  test.each([4_020, 4_970, 5_960])(
    'a system that tells its sleep in whole seconds will do: %i',
    (sleptMs) => {
      const time = new LeaseTime(() => sleptMs)
      time.at(0, HOUR_MS)
      time.at(10, 10)
      expect(time.at(20, 5_000)).toBe(5_000)
    },
  )

  test('H11: a wall clock that was set back and forward again counts for nothing', () => {
    const time = new LeaseTime()
    time.at(0, HOUR_MS)
    expect(time.at(10, 10)).toBe(10)
    expect(time.at(30, HOUR_MS + 30)).toBe(30)
    // What comes on top of that was no putting right.
    expect(time.at(40, 2 * HOUR_MS + 40)).toBe(HOUR_MS + 40)
  })

  test.each([5_000, HOUR_MS / 2, HOUR_MS + 60_000])(
    'H11: a virtual machine that stood still after its wall clock was set back is noticed: %i ms',
    (stoodStillMs) => {
      const time = new LeaseTime()
      time.at(0, HOUR_MS)
      time.at(10, 10)
      expect(time.at(20, 20 + stoodStillMs)).toBe(20 + stoodStillMs)
      // The clock is still to be put right: that is no pause.
      expect(time.at(30, 30 + stoodStillMs + HOUR_MS)).toBe(30 + stoodStillMs)
    },
  )

  test('H11: a small step back excuses no pause that is a little longer', () => {
    const time = new LeaseTime()
    time.at(0, 500)
    time.at(10, 10)
    expect(time.at(20, 620)).toBe(620)
  })

  test('H11: set back, asleep for a while, and set forward: the sleep counts, the rest does not', () => {
    const sleptMs = 5_000
    const time = new LeaseTime(() => sleptMs)
    time.at(0, HOUR_MS)
    time.at(10, 10)
    expect(time.at(20, HOUR_MS + sleptMs + 20)).toBe(20 + sleptMs)
  })

  test('small differences of two clocks read in turn count for nothing', () => {
    const time = new LeaseTime()
    time.at(0, 0)
    for (let ms = 1; ms <= 1_000; ms += 1) expect(time.at(ms, ms + ((ms * 7) % 50))).toBe(ms)
  })

  test('a jump is told before it is counted, and not after', () => {
    const time = new LeaseTime()
    expect(time.jumps(0, 0)).toBe(false)
    time.at(0, 0)
    expect(time.jumps(0, 51)).toBe(true)
    expect(time.jumps(0, 50)).toBe(false)
    time.at(0, 51)
    expect(time.jumps(0, 51)).toBe(false)
  })
})
