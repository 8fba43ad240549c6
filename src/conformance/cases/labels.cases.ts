import { describe, expect } from 'vitest'
import { LockTimeoutError } from '../../index.js'
import { given } from '../given.js'
import { journalOf } from '../journal.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'

/** Who holds a lock, by the name that its client gave itself. */
export function labelsCases(place: Place): void {
  describe('labels', () => {
    given(place, 'namesHolder')('the holder is named by its label wherever others meet it', async () => {
      const holder = place.holdfast({ label: 'web 1:é' })
      const waiter = place.holdfast()
      const waiting = journalOf(waiter, 'waiting')
      const lock = waiter.lock(place.lockName())
      const hold = await holder.lock(lock.name).acquire()
      const waits = lock.acquire({ waitMs: place.lease(300) }).catch((error: unknown) => error)
      const error = await inTime(place, waits)
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(error).toMatchObject({ holder: hold.owner, holderLabel: 'web 1:é' })
      expect(error).toMatchObject({ message: expect.stringContaining('held by web 1:é (') })
      expect(waiting.filter(({ cause }) => cause === undefined)).toMatchObject([
        { holder: hold.owner, holderLabel: 'web 1:é' },
      ])
      expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, label: 'web 1:é' }])
      await hold.release()
    })
  })
}
