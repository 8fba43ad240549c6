import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { machineTime } from '../../src/base/time/machine-time.js'
import { eventually } from '../setup/eventually.js'

/** What a machine sees when it has slept. */
function jumpAhead(ms: number): void {
  const now = machineTime.wallMs
  vi.spyOn(machineTime, 'wallMs').mockImplementation(() => now() + ms)
}

describe('SystemClock', () => {
  let clock: SystemClock
  let startedAt: number
  beforeEach(() => {
    clock = new SystemClock()
    startedAt = clock.now()
  })
  afterEach(() => vi.restoreAllMocks())

  /** A timer, and when it fired. */
  function timer(delayMs: number) {
    const fired: number[] = []
    const started = clock.startTimer(() => fired.push(clock.now() - startedAt), delayMs)
    return { fired, cancel: () => started.cancel(), fires: () => eventually(() => fired.length > 0) }
  }

  test('L3: the time a machine slept counts', () => {
    jumpAhead(60_000)
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(59_900)
  })

  test('L3: a jump seen in one pair of readings only is none', () => {
    // As when the process is interrupted for a minute between its look at one clock and at the other.
    vi.spyOn(machineTime, 'wallMs').mockReturnValueOnce(machineTime.wallMs() + 60_000)
    expect(clock.now() - startedAt).toBeLessThan(30_000)
  })

  test('H11: a timer that is past due after a jump fires when the clock is looked at, and once', async () => {
    const { fired, fires } = timer(30_000)
    jumpAhead(60_000)
    clock.now()
    await fires()
    clock.now()
    await new Promise((resolve) => setImmediate(resolve))
    expect(fired).toHaveLength(1)
  })

  test('H11: and soon when nobody looks', async () => {
    const { fires } = timer(30_000)
    jumpAhead(60_000)
    await fires()
  })

  test('H11: after a jump the other timers fire at their time', async () => {
    const { fired, fires } = timer(61_500)
    jumpAhead(60_000)
    await fires()
    expect(fired[0]).toBeGreaterThanOrEqual(61_400)
  })

  test('a timer fires once, not before its time', async () => {
    const { fired, fires } = timer(20)
    await fires()
    expect(fired).toHaveLength(1)
    expect(fired[0]).toBeGreaterThanOrEqual(19)
  })

  test('a cancelled timer does not fire, nor one with a longer delay than Node takes', async () => {
    const [cancelled, far] = [timer(1), timer(1e12)]
    cancelled.cancel()
    await timer(30).fires()
    expect([...cancelled.fired, ...far.fired]).toEqual([])
    far.cancel()
  })

  test('a timer keeps no process alive', () => {
    const standing = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = standing()
    const { cancel } = timer(10_000)
    expect(standing()).toBe(before)
    cancel()
  })
})
