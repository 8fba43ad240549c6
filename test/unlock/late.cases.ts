import { describe, expect, test } from 'vitest'
import { ownerText } from '../../src/identity/label.js'
import { LockLostError, NotOwnerError } from '../../src/index.js'
import type { Place } from '../setup/places.js'
import { changesNothing, rejection } from './evidence.js'
import { expectNotOwner } from './foreign.cases.js'

/** Expects the loss to be told: final, and still a `NotOwnerError`. */
function expectLost(error: unknown, lockName: string, owner: string): void {
  expect(error).toBeInstanceOf(LockLostError)
  expect(error).toBeInstanceOf(NotOwnerError)
  expect(error).toMatchObject({ code: 'LOCK_LOST', lockName, owner })
  expect(String(error)).toContain(ownerText(owner))
}

/** Unlock by someone who held the lock, and does no longer. */
export function lateCases(place: Place): void {
  describe('too late, or too often', () => {
    test('O5, L6: after expiry, with another holding it now', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const lock = holdfast.lock(name)
      await lock.lock({ owner, leaseMs: 60 })
      const next = await place.holdfast().lock(name).acquire({ waitMs: 10_000 })
      const error = await changesNothing(client, name, () => rejection(lock.unlock({ owner })))
      expectLost(error, name, owner)
      expect(error).toMatchObject({ reason: 'lease-expired' })
      // And there is nothing left to unlock a second time.
      const again = await changesNothing(client, name, () => rejection(lock.unlock({ owner })))
      expectNotOwner(again, name, owner, next.owner)
      await next.release()
    })

    test('O5, L6: a hold after expiry, with another holding it now', async () => {
      const name = place.lockName()
      const client = place.client()
      const late = await place.holdfast().lock(name).acquire({ leaseMs: 60 })
      const next = await place.holdfast().lock(name).acquire({ waitMs: 10_000 })
      const error = await changesNothing(client, name, () => rejection(late.release()))
      expectLost(error, name, late.owner)
      // A second call does nothing, not even complain.
      await changesNothing(client, name, () => late.release())
      await next.release()
    })

    test('O5, L6: after expiry, with nobody holding it: no key appears', async () => {
      const name = place.lockName()
      const client = place.client()
      const late = await place.holdfast().lock(name).acquire({ leaseMs: 60 })
      await place.eventually(
        () => client.call('EXISTS', name),
        (exists) => exists === 0,
      )
      expectLost(await rejection(late.release()), name, late.owner)
      expect(await client.call('EXISTS', name)).toBe(0)
    })

    test('O5, L6: nested holds after expiry: each is told', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const lock = holdfast.lock(name)
      await lock.lock({ owner, leaseMs: 60 })
      await lock.lock({ owner, leaseMs: 60 })
      const next = await place.holdfast().lock(name).acquire({ waitMs: 10_000 })
      await changesNothing(client, name, async () => {
        expectLost(await rejection(lock.unlock({ owner })), name, owner)
        expectLost(await rejection(lock.unlock({ owner })), name, owner)
        expectNotOwner(await rejection(lock.unlock({ owner })), name, owner, next.owner)
      })
      await next.release()
    })

    test.each(['another client', 'the same client'])(
      'O5, L6: after forceUnlock by %s, with another holding it now',
      async (forcer) => {
        const name = place.lockName()
        const client = place.client()
        const holdfast = place.holdfast()
        const owner = holdfast.owner()
        const lock = holdfast.lock(name)
        await lock.lock({ owner })
        const other = place.holdfast()
        await (forcer === 'the same client' ? lock : other.lock(name)).forceUnlock()
        const next = await other.lock(name).acquire()
        const error = await changesNothing(client, name, () => rejection(lock.unlock({ owner })))
        expectLost(error, name, owner)
        expect(error).toMatchObject({ reason: 'not-in-store' })
        await next.release()
      },
    )

    test('O5, L6: a nested hold after forceUnlock by another client', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const lock = holdfast.lock(name)
      const outer = await lock.acquire({ owner })
      const inner = await lock.acquire({ owner })
      const other = place.holdfast()
      await other.lock(name).forceUnlock()
      const next = await other.lock(name).acquire()
      await changesNothing(client, name, async () => {
        expectLost(await rejection(inner.release()), name, owner)
        expectLost(await rejection(outer.release()), name, owner)
      })
      await next.release()
    })

    test('O5: once too often, while free and while another holds it', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(name)
      const owner = holdfast.owner()
      await lock.lock({ owner })
      await lock.lock({ owner })
      await lock.unlock({ owner })
      await lock.unlock({ owner })
      const free = await rejection(lock.unlock({ owner }))
      expect(free).toBeInstanceOf(NotOwnerError)
      expect(free).toMatchObject({ code: 'NOT_OWNER', owner, holder: undefined })
      expect(await client.call('EXISTS', name)).toBe(0)
      const next = await place.holdfast().lock(name).acquire()
      const error = await changesNothing(client, name, () => rejection(lock.unlock({ owner })))
      expectNotOwner(error, name, owner, next.owner)
      await next.release()
    })

    test('O5: a hold released twice does nothing the second time, even while another holds the lock', async () => {
      const name = place.lockName()
      const client = place.client()
      const hold = await place.holdfast().lock(name).acquire()
      await hold.release()
      const next = await place.holdfast().lock(name).acquire()
      await changesNothing(client, name, () => hold.release())
      expect(() => hold.assertHeld()).toThrow(NotOwnerError)
      await next.release()
    })

    test('O5: a nested hold released twice leaves the outer hold its count', async () => {
      const name = place.lockName()
      const client = place.client()
      const lock = place.holdfast().lock(name)
      const outer = await lock.acquire()
      const inner = await lock.acquire({ owner: outer.owner })
      await inner.release()
      await changesNothing(client, name, () => inner.release())
      expect(await client.call('HGET', name, outer.owner)).toBe('1')
      await Promise.all([outer.release(), outer.release()])
      expect(await client.call('EXISTS', name)).toBe(0)
    })

    test('O5: two unlocks at once for one hold: one does it, the other is refused', async () => {
      const name = place.lockName()
      const client = place.client()
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const lock = holdfast.lock(name)
      await lock.lock({ owner })
      const outcomes = await Promise.allSettled([lock.unlock({ owner }), lock.unlock({ owner })])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await client.call('EXISTS', name)).toBe(0)
    })
  })
}
