import { describe, expect } from 'vitest'
import { LockTimeoutError } from '../../index.js'
import { given } from '../given.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Who holds a lock, by the name that its client gave itself. */
export function labelsCases(place: Place): void {
  const whereSinceIsTold = given(place, 'namesHolder', 'tellsSince')
  describe('labels', () => {
    given(place, 'namesHolder')('the holder is named by its label wherever others meet it', async () => {
      const holder = place.holdfast({ label: 'web 1:é' })
      const waiter = place.holdfast()
      const waiting = journalOf(waiter, 'waiting')
      const lock = waiter.lock(place.lockName())
      await using hold = await holder.lock(lock.name).acquire()
      // With the connection made, the wait is spent on the lock alone.
      expect(await lock.isLocked()).toBe(true)
      const waits = lock.acquire({ waitMs: place.lease(1_350) })
      const error = await inTime(place, rejectionOf(waits))
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(error).toMatchObject({ holder: hold.owner, holderLabel: 'web 1:é' })
      expect(error).toMatchObject({ message: expect.stringContaining('held by web 1:é (') })
      expect(waiting.filter(({ cause }) => cause === undefined)).toMatchObject([
        { holder: hold.owner, holderLabel: 'web 1:é' },
      ])
      expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, label: 'web 1:é' }])
    })

    whereSinceIsTold(
      'others learn since when it is held: the time stays with nested holds and renewals, and a new owner has a new one',
      async () => {
        const [holder, waiter] = [place.holdfast(), place.holdfast()]
        const waiting = journalOf(waiter, 'waiting')
        const lock = waiter.lock(place.lockName())
        const theirs = holder.lock(lock.name)
        const owner = holder.owner()
        const hold = await theirs.acquire({ owner })
        const heldSince = (await lock.inspect()).owners[0]?.heldSince
        expect(heldSince).toEqual(expect.any(Number))
        const inner = await theirs.acquire({ owner })
        const error = await inTime(place, rejectionOf(lock.acquire({ waitMs: place.lease(1_350) })))
        expect(error).toMatchObject({ holder: owner, heldSince })
        expect(error).toMatchObject({
          message: expect.stringContaining(` since ${new Date(heldSince ?? 0).toISOString()}`),
        })
        expect(waiting.filter(({ cause }) => cause === undefined)).toMatchObject([{ heldSince }])
        await inner.release()
        expect((await lock.inspect()).owners).toMatchObject([{ owner, holds: 1, heldSince }])
        await hold.release()
        expect((await lock.inspect()).owners).toEqual([])
        await using _next = await theirs.acquire()
        expect((await lock.inspect()).owners[0]?.heldSince).toBeGreaterThanOrEqual(heldSince ?? Infinity)
      },
    )
  })
}
