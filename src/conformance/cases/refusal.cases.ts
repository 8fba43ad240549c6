import { describe, expect, test } from 'vitest'
import {
  type Hold,
  type Holdfast,
  type Lock,
  LockLostError,
  type LockState,
  NoOwnerError,
  NotOwnerError,
} from '../../index.js'
import { given } from '../given.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Releasing what one does not hold: rule O5, in every shape. */
export function refusalCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('releasing what one does not hold', () => {
    const heldByAnother = async (): Promise<{ holdfast: Holdfast; lock: Lock; hold: Hold }> => {
      const { holdfast, lock } = scene(place)
      // No renewal may change meanwhile what must not change.
      return { holdfast, lock, hold: await lock.acquire({ leaseMs: 600_000 }) }
    }

    whereNamed(
      'O5: by another owner, another scope or another process it is a NotOwnerError, and changes nothing',
      async () => {
        const { holdfast, lock, hold } = await heldByAnother()
        const far = place.holdfast()
        const before = await lock.inspect()
        const stranger = holdfast.owner()
        const farOwner = far.owner()
        // Who holds another lock holds this one no more for that.
        const elsewhere = far.lock(place.lockName())
        await elsewhere.lock({ owner: farOwner })
        const shapes: Array<[asked: string | undefined, call: () => Promise<void>]> = [
          [stranger, () => lock.unlock({ owner: stranger })],
          [undefined, () => holdfast.run(() => lock.unlock())],
          [farOwner, () => far.lock(lock.name).unlock({ owner: farOwner })],
          [undefined, () => far.run(() => far.lock(lock.name).unlock())],
        ]
        for (const [asked, call] of shapes) {
          const error = await rejectionOf(call())
          expect(error).toBeInstanceOf(NotOwnerError)
          expect(error).not.toBeInstanceOf(LockLostError)
          expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: lock.name, holder: hold.owner })
          if (asked !== undefined) expect(error).toMatchObject({ owner: asked })
          const after = await lock.inspect()
          expect(holdsIn(after)).toEqual(holdsIn(before))
          expect(after.remainingMs).toBeLessThanOrEqual(before.remainingMs)
          expect(after.remainingMs).toBeGreaterThan(before.remainingMs - 60_000)
          expect(hold.remainingMs()).toBeGreaterThan(0)
        }
        await elsewhere.unlock({ owner: farOwner })
        await hold.release()
      },
    )

    test('O5: a hold is released through itself, not by unlock()', async () => {
      const { lock, hold } = await heldByAnother()
      await expect(lock.unlock({ owner: hold.owner })).rejects.toBeInstanceOf(NotOwnerError)
      expect(await lock.holdCount(hold.owner)).toBe(1)
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

    test('O5: outside any scope it is a NoOwnerError that says what to do', async () => {
      const { lock, hold } = await heldByAnother()
      const error = await rejectionOf(lock.unlock())
      expect(error).toBeInstanceOf(NoOwnerError)
      expect(String(error)).toMatch(/holdfast\.run\(/)
      expect(await lock.holdCount(hold.owner)).toBe(1)
      await hold.release()
    })

    test('O5: once too often it is a NotOwnerError without a holder', async () => {
      const { holdfast, lock, hold } = await heldByAnother()
      await hold.release()
      await holdfast.run(async () => {
        await lock.lock()
        await lock.unlock()
        const error = await rejectionOf(lock.unlock())
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ holder: undefined })
      })
      expect(await lock.inspect()).toMatchObject({ owners: [], remainingMs: 0 })
    })

    test('O5: of two unlocks at once of one hold, one does it and the other is refused', async () => {
      const { lock, owner } = scene(place)
      await lock.lock({ owner })
      const outcomes = await Promise.allSettled([lock.unlock({ owner }), lock.unlock({ owner })])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await lock.isLocked()).toBe(false)
    })

    test('O5: what a run left locked is not unlocked by the next run', async () => {
      const { holdfast, lock } = scene(place)
      await holdfast.run(() => lock.lock())
      await expect(holdfast.run(() => lock.unlock())).rejects.toBeInstanceOf(NotOwnerError)
      expect(await lock.forceUnlock()).toBe(true)
    })

    for (const scope of ['that goes on', 'that has ended'] as const) {
      test(`O5, O3: a task that outlives its section unlocks nobody else’s, in a scope ${scope}`, async () => {
        const { holdfast, lock } = scene(place)
        const go = new Latch()
        const late: Array<Promise<unknown>> = []
        const next = async (): Promise<void> => {
          await using hold = await place.holdfast().lock(lock.name).acquire()
          go.open()
          const refused = scope === 'that goes on' ? NotOwnerError : NoOwnerError
          for (const error of await Promise.all(late)) expect(error).toBeInstanceOf(refused)
          hold.assertHeld()
        }
        await holdfast.run(async () => {
          await lock.withLock(() => {
            late.push(rejectionOf(go.opened.then(() => lock.unlock())))
          })
          if (scope === 'that goes on') await next()
        })
        if (scope === 'that has ended') await next()
      })
    }

    test('O5: a sibling cannot unlock what its sibling locked', async () => {
      const { holdfast, lock } = scene(place)
      await holdfast.run(async () => {
        const [entered, leave] = [new Latch(), new Latch()]
        const locks = holdfast.run(async () => {
          await lock.lock()
          entered.open()
          await leave.opened
          await lock.unlock()
        })
        await entered.opened
        const error = await rejectionOf(holdfast.run(() => lock.unlock()))
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(await lock.holdCount()).toBe(1)
        leave.open()
        await locks
        expect(await lock.holdCount()).toBe(0)
      })
    })

    test('O5: a nested section cannot be unlocked from within: withLock gives back what it took', async () => {
      const { lock } = scene(place)
      await lock.withLock(async () => {
        await expect(lock.unlock()).rejects.toBeInstanceOf(NotOwnerError)
        expect(await lock.holdCount()).toBe(1)
      })
    })

    whereNamed(
      'O5: after expiry it is a LockLostError, and the next owner’s hold stays as it is',
      async () => {
        const { holdfast, lock } = scene(place)
        await holdfast.run(async () => {
          await lock.lock({ leaseMs: place.lease(60) })
          await lock.lock({ leaseMs: place.lease(60) })
          await using next = await inTime(place, place.holdfast().lock(lock.name).acquire())
          // Each of the nested holds is told.
          await expect(lock.unlock()).rejects.toBeInstanceOf(LockLostError)
          await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
          expect((await lock.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
          await expect(lock.unlock()).rejects.toMatchObject({ code: 'NOT_OWNER', holder: next.owner })
        })
      },
    )

    test('O5: after forceUnlock it is a LockLostError, and the next owner’s hold stays as it is', async () => {
      const { lock, hold } = await heldByAnother()
      const far = place.holdfast().lock(lock.name)
      expect(await far.forceUnlock()).toBe(true)
      await using next = await far.acquire()
      const error = await rejectionOf(hold.release())
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toBeInstanceOf(NotOwnerError)
      expect((await far.inspect()).owners).toMatchObject([{ owner: next.owner, holds: 1 }])
    })
  })
}

/** Without the time since when it is held: of several servers, those that answer first may be others each time. */
function holdsIn({ owners }: LockState): ReadonlyArray<readonly [string, number]> {
  return owners.map(({ owner, holds }) => [owner, holds])
}
