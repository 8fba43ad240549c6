import { afterEach, describe, expect, test } from 'vitest'
import { untilWaiting } from '../idle.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'

/** What permits with ids promise beside what all permits do. */
export function permitIdsCases(place: Place): void {
  describe(`permits by their ids: ${place.name}`, () => {
    afterEach(() => place.tidy())

    test('H18: a permit whose end is brought nearer is taken then by who waits, without an announcement of that end', async () => {
      const [near, far] = [place.holdfast(), place.holdfast()]
      const semaphore = near.permitExpirableSemaphore(place.lockName())
      await semaphore.trySetPermits(1)
      const { permitIds } = await semaphore.acquire({ leaseMs: 60_000 })
      const waiting = far.permitExpirableSemaphore(semaphore.name).acquire()
      await untilWaiting(place, semaphore, 1)
      const from = place.now()
      expect(await semaphore.updateLeaseTime(String(permitIds[0]), 300)).toBe(true)
      await using _hold = await inTime(place, waiting)
      expect(place.now() - from).toBeLessThan(5_000)
    })
  })
}
