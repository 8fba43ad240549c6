import { expect, test } from 'vitest'
import { type Clock, SystemClock, type Timer } from '../../src/base/time/clock.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

/** The machine's clock, and how many timers were started by it. */
class TimerCounter implements Clock {
  started = 0
  readonly #clock = new SystemClock()

  now(): number {
    return this.#clock.now()
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    this.started += 1
    return this.#clock.startTimer(callback, delayMs)
  }
}

test('a section that nobody contends for starts no timer of its own, under the watchdog or with a lease', async () => {
  const clock = new TimerCounter()
  const holdfast = new Holdfast(new MemoryStore(clock))
  const lock = holdfast.lock('timers')
  for (let count = 0; count < 500; count += 1) {
    await lock.withLock({ waitMs: 5_000 }, () => undefined)
    await lock.withLock({ leaseMs: 10_000 }, () => undefined)
  }
  // One for all timers; it is set anew when an earlier one is made, which a thousand sections in a moment do a few times.
  expect(clock.started).toBeLessThanOrEqual(10)
  await holdfast.close()
})
