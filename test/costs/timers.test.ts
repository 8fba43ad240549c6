import { expect, test, vi } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

test('a section that nobody contends for starts no timer of its own, under the watchdog or with a lease', async () => {
  const clock = new SystemClock()
  const started = vi.spyOn(clock, 'startTimer')
  const holdfast = new Holdfast(new MemoryStore(clock))
  const lock = holdfast.lock('timers')
  for (let count = 0; count < 500; count += 1) {
    await lock.withLock({ waitMs: 5_000 }, () => undefined)
    await lock.withLock({ leaseMs: 10_000 }, () => undefined)
  }
  // One for all timers; it is set anew when an earlier one is made, which a thousand sections in a moment do a few times.
  expect(started.mock.calls.length).toBeGreaterThan(0)
  expect(started.mock.calls.length).toBeLessThanOrEqual(10)
  await holdfast.close()
})
