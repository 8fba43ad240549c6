import { afterEach, describe, expect, test } from 'vitest'
import { untilIdle, untilWaiting } from '../idle.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'

/** A latch, as programs have it. */
export function latchCases(place: Place): void {
  describe(`latch: ${place.name}`, () => {
    afterEach(() => place.tidy())

    test('a latch lets pass all that wait when it opens, and is idle then', async () => {
      const [near, far] = [place.holdfast(), place.holdfast()]
      const latch = near.countDownLatch(place.lockName())
      await latch.trySetCount(2)
      const passes = [near, near, far].map((holdfast) => holdfast.countDownLatch(latch.name).await())
      await untilWaiting(place, latch, 2)
      expect(await latch.countDown()).toBe(1)
      expect(await latch.tryAwait()).toBe(false)
      expect(await latch.countDown()).toBe(0)
      await inTime(place, Promise.all(passes))
      expect(await latch.tryAwait()).toBe(true)
      await untilIdle(place, near)
      await untilIdle(place, far)
    })
  })
}
