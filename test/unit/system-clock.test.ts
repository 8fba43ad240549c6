import process from 'node:process'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { machineTime } from '../../src/base/time/machine-time.js'
import { eventually } from '../setup/eventually.js'

/** Timers of this process that stand. */
function standingTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

/** What a machine sees when it has slept. */
function jumpAhead(ms: number): void {
  const now = machineTime.wallMs
  vi.spyOn(machineTime, 'wallMs').mockImplementation(() => now() + ms)
}

describe('SystemClock', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('goes on, never back', () => {
    const clock = new SystemClock()
    let last = clock.now()
    for (let count = 0; count < 10_000; count += 1) {
      const now = clock.now()
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
    }
  })

  test('L3: the time a machine slept counts', () => {
    const clock = new SystemClock()
    const before = clock.now()
    const wallMs = machineTime.wallMs()
    vi.spyOn(machineTime, 'wallMs').mockImplementation(() => wallMs + 60_000)
    expect(clock.now() - before).toBeGreaterThanOrEqual(59_900)
  })

  test('L3: a jump seen in one pair of readings only is none', () => {
    const clock = new SystemClock()
    const before = clock.now()
    // As when the process is interrupted for a minute between its look at one clock and at the other.
    vi.spyOn(machineTime, 'wallMs').mockReturnValueOnce(machineTime.wallMs() + 60_000)
    expect(clock.now() - before).toBeLessThan(30_000)
  })

  test('H11: a timer that is past due after a jump fires when the clock is looked at, and once', async () => {
    const clock = new SystemClock()
    let fired = 0
    clock.startTimer(() => {
      fired += 1
    }, 30_000)
    jumpAhead(60_000)
    clock.now()
    await eventually(() => fired > 0)
    clock.now()
    await new Promise((resolve) => setImmediate(resolve))
    expect(fired).toBe(1)
  })

  test('H11: and soon when nobody looks', async () => {
    const clock = new SystemClock()
    let fired = false
    clock.startTimer(() => {
      fired = true
    }, 30_000)
    jumpAhead(60_000)
    await eventually(() => fired)
  })

  test('H11: after a jump the other timers fire at their time', async () => {
    const clock = new SystemClock()
    const startedAt = clock.now()
    const fired: number[] = []
    clock.startTimer(() => fired.push(clock.now() - startedAt), 61_500)
    jumpAhead(60_000)
    await eventually(() => fired.length > 0)
    expect(fired[0]).toBeGreaterThanOrEqual(61_400)
  })

  test('a timer fires once, not before its time', async () => {
    const clock = new SystemClock()
    const startedAt = clock.now()
    const fired: number[] = []
    clock.startTimer(() => fired.push(clock.now() - startedAt), 20)
    await eventually(() => fired.length > 0)
    expect(fired).toHaveLength(1)
    expect(fired[0]).toBeGreaterThanOrEqual(19)
  })

  test('a cancelled timer does not fire', async () => {
    const clock = new SystemClock()
    let fired = false
    const timer = clock.startTimer(() => {
      fired = true
    }, 1)
    timer.cancel()
    let later = false
    clock.startTimer(() => {
      later = true
    }, 30)
    await eventually(() => later)
    expect(fired).toBe(false)
  })

  test('a delay longer than Node takes is cut, not fired at once', async () => {
    const clock = new SystemClock()
    let fired = false
    const far = clock.startTimer(() => {
      fired = true
    }, 1e12)
    let later = false
    clock.startTimer(() => {
      later = true
    }, 20)
    await eventually(() => later)
    expect(fired).toBe(false)
    far.cancel()
  })

  test('a timer keeps no process alive', () => {
    const before = standingTimers()
    const timer = new SystemClock().startTimer(() => undefined, 10_000)
    expect(standingTimers()).toBe(before)
    timer.cancel()
  })
})
