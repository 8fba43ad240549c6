import { describe, expect, test } from 'vitest'
import { LeaseTime } from '../../src/base/time/clock.js'

const HOUR_MS = 3_600_000

/** What two clocks showed, looked at one after the other, and the time that it is by both. */
type Looks = ReadonlyArray<readonly [monotonicMs: number, wallMs: number, isMs?: number]>

const setBack: Looks = [
  [0, HOUR_MS],
  [10, 10, 10],
]
const stoodStill = (ms: number): [string, Looks] => [
  `H11: a virtual machine that stood still after its wall clock was set back is noticed: ${ms} ms`,
  // The clock is still to be put right: that is no pause.
  [...setBack, [20, 20 + ms, 20 + ms], [30, 30 + ms + HOUR_MS, 30 + ms]],
]

describe('LeaseTime', () => {
  test.each<[string, Looks, sleptMs?: number]>([
    [
      'L3: a wall clock that jumped ahead counts, once',
      [
        [0, 0],
        [10, HOUR_MS + 10, HOUR_MS + 10],
        [20, HOUR_MS + 20, HOUR_MS + 20],
        [30, 2 * HOUR_MS + 30, 2 * HOUR_MS + 30],
      ],
    ],
    [
      'a machine that sleeps after its wall clock was set back is noticed all the same',
      [...setBack, [20, 5_000, 5_000]],
      4_970,
    ],
    ['a system that tells its sleep in whole seconds will do: less', [...setBack, [20, 5_000, 5_000]], 4_020],
    ['a system that tells its sleep in whole seconds will do: more', [...setBack, [20, 5_000, 5_000]], 5_960],
    [
      'H11: a wall clock that was set back and forward again counts for nothing; what comes on top of that does',
      [...setBack, [30, HOUR_MS + 30, 30], [40, 2 * HOUR_MS + 40, HOUR_MS + 40]],
    ],
    stoodStill(5_000),
    stoodStill(HOUR_MS / 2),
    stoodStill(HOUR_MS + 60_000),
    [
      'H11: a small step back excuses no pause that is a little longer',
      [
        [0, 500],
        [10, 10],
        [20, 620, 620],
      ],
    ],
    [
      'H11: set back, asleep for a while, and set forward: the sleep counts, the rest does not',
      [...setBack, [20, HOUR_MS + 5_020, 5_020]],
      5_000,
    ],
  ])('%s', (_, looks, sleptMs) => {
    const time = sleptMs === undefined ? new LeaseTime() : new LeaseTime(() => sleptMs)
    for (const [monotonicMs, wallMs, isMs] of looks) {
      const at = time.at(monotonicMs, wallMs)
      if (isMs !== undefined) expect(at).toBe(isMs)
    }
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
