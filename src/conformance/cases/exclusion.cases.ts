import { describe, expect, test } from 'vitest'
import { LockTimeoutError } from '../../index.js'
import { given } from '../given.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** One owner at a time, whoever asks and however. */
export function exclusionCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('exclusion', () => {
    test('a held lock is refused to another client', async () => {
      const name = place.lockName()
      const hold = await place.holdfast().lock(name).acquire()
      const other = place.holdfast().lock(name)
      expect(await other.tryAcquire()).toBeNull()
      expect(await other.isLocked()).toBe(true)
      await hold.release()
      const mine = await other.tryAcquire()
      expect(mine?.name).toBe(name)
      await mine?.release()
      expect(await other.isLocked()).toBe(false)
    })

    whereNamed('a wait that ends in vain is a LockTimeoutError that names the holder', async () => {
      const name = place.lockName()
      await using hold = await place.holdfast().lock(name).acquire()
      const other = place.holdfast().lock(name)
      // With the connection made, the wait is spent on the lock alone.
      expect(await other.isLocked()).toBe(true)
      const outcome = await inTime(place, rejectionOf(other.acquire({ waitMs: place.lease(1_350) })))
      expect(outcome).toBeInstanceOf(LockTimeoutError)
      expect(outcome).toMatchObject({ lockName: name, holder: hold.owner })
    })
  })
}
