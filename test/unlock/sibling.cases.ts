import { describe, expect, test } from 'vitest'
import { LockLostError, NoOwnerError, NotOwnerError } from '../../src/index.js'
import type { Place } from '../setup/places.js'
import { changesNothing, rejection } from './evidence.js'
import { expectNotOwner } from './foreign.cases.js'

/** Unlock by code of the same owner, or of none, that is not the section that holds. */
export function siblingCases(place: Place): void {
  describe('from the wrong place in the program', () => {
    test('O5, O2: a sibling, which shares the owner and not the hold', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      await holdfast.run(async () => {
        let letGo = (): void => undefined
        const untilRefused = new Promise<void>((resolve) => {
          letGo = resolve
        })
        let locked = (): void => undefined
        const untilLocked = new Promise<void>((resolve) => {
          locked = resolve
        })
        const holder = holdfast.run(async () => {
          await lock.lock()
          locked()
          await untilRefused
          await lock.unlock()
        })
        const sibling = holdfast.run(async () => {
          await untilLocked
          const error = await changesNothing(client, name, () => rejection(lock.unlock()))
          letGo()
          return error
        })
        const [error] = await Promise.all([sibling, holder])
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).not.toBeInstanceOf(LockLostError)
        expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: name })
        // One owner for both: the message must not say that it does not hold what it holds.
        expect(String(error)).not.toMatch(/Owner (\S+) does not hold .*; \1 does/)
      })
      expect(await client.call('EXISTS', name)).toBe(0)
    })

    test('O5: unlock() inside withLock: the section ends it, nobody else', async () => {
      const name = place.lockName()
      const client = place.client()
      const lock = place.holdfast().lock(name)
      await lock.withLock(async (hold) => {
        const error = await changesNothing(client, name, () => rejection(lock.unlock()))
        expect(error).toBeInstanceOf(NotOwnerError)
        expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: name, owner: hold.owner })
        hold.assertHeld()
      })
      expect(await client.call('EXISTS', name)).toBe(0)
    })

    test('O5: outside any scope: NoOwnerError, which says what to do', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const hold = await holdfast.lock(name).acquire()
      const error = await changesNothing(client, name, () => rejection(holdfast.lock(name).unlock()))
      expect(error).toBeInstanceOf(NoOwnerError)
      expect(error).toMatchObject({ code: 'NO_OWNER', lockName: name })
      expect(String(error)).toContain('holdfast.run')
      await hold.release()
    })

    test('O5, O3: a detached task whose scope has ended has no owner any more', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      let goOn = (): void => undefined
      const told = new Promise<void>((resolve) => {
        goOn = resolve
      })
      let detached: Promise<unknown> = Promise.resolve()
      await holdfast.run(async () => {
        await lock.lock()
        detached = told.then(() => rejection(lock.unlock()))
        await lock.unlock()
      })
      const hold = await place.holdfast().lock(name).acquire()
      const error = await changesNothing(client, name, async () => {
        goOn()
        return await detached
      })
      expect(error).toBeInstanceOf(NoOwnerError)
      expect(error).toMatchObject({ lockName: name })
      await hold.release()
    })

    test('O5, O3: a detached task of an ended section, in a scope that goes on, cannot unlock another', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      await holdfast.run(async () => {
        let goOn = (): void => undefined
        const told = new Promise<void>((resolve) => {
          goOn = resolve
        })
        let detached: Promise<unknown> = Promise.resolve()
        const owner = await lock.withLock((hold) => {
          detached = told.then(() => rejection(lock.unlock()))
          return hold.owner
        })
        const hold = await place.holdfast().lock(name).acquire()
        const error = await changesNothing(client, name, async () => {
          goOn()
          return await detached
        })
        expectNotOwner(error, name, owner, hold.owner)
        await hold.release()
      })
    })

    test('O5: a lock() left behind by a run that ended cannot be unlocked by the next', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      await holdfast.run(() => lock.lock())
      const [held] = (await lock.inspect()).owners
      const error = await changesNothing(client, name, () => rejection(holdfast.run(() => lock.unlock())))
      expect(error).toBeInstanceOf(NotOwnerError)
      expect(error).toMatchObject({ code: 'NOT_OWNER', holder: held?.owner })
      await lock.forceUnlock()
    })
  })
}
