import { describe, expect, inject, test } from 'vitest'
import { ownerText } from '../../src/identity/label.js'
import { LockLostError, NotOwnerError } from '../../src/index.js'
import { Forked } from '../redisson/forked.js'
import { Thread } from '../redisson/thread.js'
import type { Place } from '../setup/places.js'
import { changesNothing, rejection } from './evidence.js'

/** Expects the refusal that names who asked and who holds, and is no loss. */
export function expectNotOwner(error: unknown, lockName: string, owner: string, holder: string): void {
  expect(error).toBeInstanceOf(NotOwnerError)
  expect(error).not.toBeInstanceOf(LockLostError)
  expect(error).toMatchObject({ code: 'NOT_OWNER', lockName, owner, holder })
  expect(String(error)).toContain(ownerText(owner))
  expect(String(error)).toContain(ownerText(holder))
}

/** Unlock by someone who never held the lock. */
export function foreignCases(place: Place): void {
  describe('by someone else', () => {
    test('O5: another process', async () => {
      const name = place.lockName()
      const client = place.client()
      // With a lease of its own: no renewal may come between, however long the child takes to start.
      const hold = await place.holdfast().lock(name).acquire({ leaseMs: 600_000 })
      const { standalone, cluster } = inject('servers')
      const child = Forked.start(new URL('./intruder.fixture.ts', import.meta.url), {
        server:
          place.name === 'cluster' ? cluster.startupNodes : { host: standalone.host, port: standalone.port },
        name,
        holder: hold.owner,
      })
      const told = await changesNothing(client, name, () => child.told())
      expect(told).toEqual({
        me: expect.any(String),
        asItself: { code: 'NOT_OWNER', owner: expect.any(String), holder: hold.owner, lockName: name },
        // An owner is no password: one that another client has handed out is not accepted at all.
        asTheHolder: { code: 'INVALID_ARGUMENT' },
      })
      expect(told).toMatchObject({ asItself: { owner: Object(told).me } })
      await hold.release()
    }, 60_000)

    test('O5: another client in the same process', async () => {
      const name = place.lockName()
      const client = place.client()
      const hold = await place.holdfast().lock(name).acquire()
      const other = place.holdfast()
      const owner = other.owner()
      const error = await changesNothing(client, name, () => rejection(other.lock(name).unlock({ owner })))
      expectNotOwner(error, name, owner, hold.owner)
      await hold.release()
    })

    test('O5: another owner of the same client', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      const [mine, other] = [holdfast.owner(), holdfast.owner()]
      await lock.lock({ owner: mine })
      await lock.lock({ owner: mine })
      const error = await changesNothing(client, name, () => rejection(lock.unlock({ owner: other })))
      expectNotOwner(error, name, other, mine)
      expect(await lock.holdCount(mine)).toBe(2)
      await lock.unlock({ owner: mine })
      await lock.unlock({ owner: mine })
    })

    test('O5: another scope', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      const holder = await Thread.start(holdfast)
      const other = await Thread.start(holdfast)
      await holder.do(() => lock.lock())
      const [held] = (await lock.inspect()).owners
      const error = await changesNothing(client, name, () => rejection(other.do(() => lock.unlock())))
      expect(error).toBeInstanceOf(NotOwnerError)
      expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: name, holder: held?.owner })
      expect(error).not.toMatchObject({ owner: held?.owner })
      await holder.do(() => lock.unlock())
      await holder.end()
      await other.end()
    })

    test('O5: nobody holds it: the same error, without a holder, and no key appears', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const error = await rejection(holdfast.lock(name).unlock({ owner }))
      expect(error).toBeInstanceOf(NotOwnerError)
      expect(error).toMatchObject({ code: 'NOT_OWNER', lockName: name, owner, holder: undefined })
      expect(await client.call('EXISTS', name)).toBe(0)
    })

    test('O5: the holder of another lock', async () => {
      const name = place.lockName()
      const client = place.client()
      const holder = await place.holdfast().lock(name).acquire()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const elsewhere = holdfast.lock(place.lockName())
      await elsewhere.lock({ owner })
      const error = await changesNothing(client, name, () => rejection(holdfast.lock(name).unlock({ owner })))
      expectNotOwner(error, name, owner, holder.owner)
      await elsewhere.unlock({ owner })
      await holder.release()
    })
  })
}
