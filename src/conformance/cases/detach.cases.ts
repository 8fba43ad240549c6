import { describe, expect, test } from 'vitest'
import { InvalidArgumentError, LockLostError, NotOwnerError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** Holds that go to another process: `hold.detach` and `lock.adopt`. */
export function detachCases(place: Place): void {
  const detaching = given(place, 'detaches')
  describe('detach and adopt', () => {
    test('where no hold can be handed to another client, asking for that is an error and changes nothing', async () => {
      await using hold = await place.holdfast().lock(place.lockName()).acquire()
      if (!place.traits.detaches)
        expect(await rejectionOf(hold.detach(600_000))).toBeInstanceOf(InvalidArgumentError)
      hold.assertHeld()
    })

    detaching(
      'D1: a hold that was detached keeps others out, and whoever has its ticket goes on with it',
      async () => {
        const [here, there, others] = [place.holdfast(), place.holdfast(), place.holdfast()]
        const lock = here.lock(place.lockName())
        const hold = await lock.acquire()
        const ticket = await hold.detach(600_000)
        expect(() => hold.assertHeld()).toThrow(NotOwnerError)
        await hold.release()
        expect(here.census).toMatchObject({ tenures: 0, watched: 0, calls: 0 })
        expect(await others.lock(lock.name).tryAcquire()).toBeNull()
        const adopted = await there.lock(lock.name).adopt(ticket)
        adopted.assertHeld()
        expect(adopted.remainingMs()).toBeGreaterThan(0)
        expect(await others.lock(lock.name).tryAcquire()).toBeNull()
        await adopted.release()
        expect(await others.lock(lock.name).isLocked()).toBe(false)
      },
    )

    detaching('D2: a ticket is good once, however many use it at the same time', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const ticket = await (await lock.acquire()).detach(600_000)
      const clients = Array.from({ length: 4 }, () => place.holdfast())
      const outcomes = await Promise.allSettled(
        clients.map((client) => client.lock(lock.name).adopt(ticket, { leaseMs: 60_000 })),
      )
      const adopted = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      expect(adopted).toHaveLength(1)
      for (const each of outcomes)
        if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(LockLostError)
      adopted[0]?.assertHeld()
      await adopted[0]?.release()
      expect(await rejectionOf(lock.adopt(ticket))).toBeInstanceOf(LockLostError)
      expect(await lock.isLocked()).toBe(false)
    })

    detaching(
      'D3: a hold that nobody adopts is free after its time, and its ticket worth nothing',
      async () => {
        const { lock } = scene(place)
        const ticket = await (await lock.acquire()).detach(place.lease(300))
        await using next = await inTime(place, lock.acquire())
        expect(await rejectionOf(place.holdfast().lock(lock.name).adopt(ticket))).toBeInstanceOf(
          LockLostError,
        )
        next.assertHeld()
      },
    )

    detaching('D3: a hold that was forced open cannot be adopted', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const ticket = await (await lock.acquire()).detach(600_000)
      expect(await lock.forceUnlock()).toBe(true)
      expect(await rejectionOf(lock.adopt(ticket))).toBeInstanceOf(LockLostError)
    })

    detaching('D2: neither the store’s view nor an error has what a ticket needs', async () => {
      const { lock } = scene(place)
      const ticket = await (await lock.acquire()).detach(600_000)
      const [, , secret] = JSON.parse(Buffer.from(ticket, 'base64url').toString())
      const seen = JSON.stringify(await lock.inspect())
      expect(seen).not.toContain(secret)
      const other = place.holdfast().lock(place.lockName())
      for (const text of [ticket, `${ticket}x`, '', 'no ticket', 1, undefined]) {
        const error = await rejectionOf(Reflect.apply(other.adopt, other, [text]))
        expect(error, String(text)).toBeInstanceOf(InvalidArgumentError)
        expect(String(error)).not.toContain(ticket)
      }
      await (await lock.adopt(ticket)).release()
    })

    detaching('L1: an adopted hold has the terms of its adoption: a lease, or the watchdog', async () => {
      const [here, there] = [place.holdfast(), place.holdfast({ watchdogMs: 20_000 })]
      const lock = there.lock(place.lockName())
      const first = await (await here.lock(lock.name).acquire({ leaseMs: 60_000 })).detach(600_000)
      const leased = await lock.adopt(first, { leaseMs: 60_000 })
      expect(await lock.remainingMs()).toBeLessThanOrEqual(60_000)
      expect(there.census.watched).toBe(0)
      const second = await leased.detach(600_000)
      const watched = await lock.adopt(second)
      expect(there.census.watched).toBe(1)
      expect(await lock.remainingMs()).toBeLessThan(30_000)
      await watched.release()
      await untilIdle(place, there)
    })

    detaching('O5: only an owner’s only hold can be detached, once, and while it stands', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner })
      const inner = await lock.acquire({ owner })
      expect(await rejectionOf(inner.detach(600_000))).toBeInstanceOf(InvalidArgumentError)
      inner.assertHeld()
      await inner.release()
      expect(await rejectionOf(inner.detach(600_000))).toBeInstanceOf(NotOwnerError)
      expect(await rejectionOf(outer.detach(1))).toBeInstanceOf(InvalidArgumentError)
      const ticket = await outer.detach(600_000)
      expect(await rejectionOf(outer.detach(600_000))).toBeInstanceOf(NotOwnerError)
      await (await lock.adopt(ticket)).release()
    })

    detaching('O5: a hold whose owner is granted another meanwhile gives no ticket', async () => {
      const { lock, owner } = scene(place)
      const outer = await lock.acquire({ owner })
      const asked = lock.acquire({ owner })
      expect(await rejectionOf(outer.detach(600_000))).toBeInstanceOf(InvalidArgumentError)
      const inner = await asked
      inner.assertHeld()
      await inner.release()
      expect(await lock.isLocked()).toBe(false)
    })
  })
}
