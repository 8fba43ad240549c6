import { describe, expect, test } from 'vitest'
import { permitIdsOf } from '../../src/base/identity/permit-ids.js'
import { lockName } from '../setup/port-place.js'
import { Acquisition, fresh, LONG_MS, type Place } from './requests.js'

/** What permits with ids promise beside what all permits do. */
export function permitIdsCases(place: Place): void {
  describe(`permits by their ids: ${place.name}`, () => {
    test('each is given back by its id, by anybody, and the hold gives back the rest', async () => {
      const [{ permits }, { permits: others }, name] = [place.client(), place.client(), lockName()]
      await permits.trySetPermits(name, 3, fresh())
      const hold = await new Acquisition(permits, name, 3).granted()
      const [first, ...rest] = permitIdsOf(hold.owner, 3)
      expect((await permits.inspect(name)).owners.map(({ owner }) => owner).sort()).toEqual(
        [first, ...rest].map((id) => `${id}:1`),
      )
      expect(await others.releasePermits(name, [String(first)], fresh())).toBe(true)
      expect(await others.availablePermits(name)).toBe(1)
      expect(await others.acquiredPermits(name)).toBe(2)
      expect(await hold.renew(LONG_MS)).toBe(true)
      expect(await hold.release()).not.toBe('not-owner')
      expect(await permits.availablePermits(name)).toBe(3)
    })

    test('several ids are given back together or not at all; the same request counts once', async () => {
      const [{ permits }, name, request] = [place.client(), lockName(), fresh()]
      await permits.trySetPermits(name, 3, fresh())
      const hold = await new Acquisition(permits, name, 2).granted()
      const ids = permitIdsOf(hold.owner, 2)
      expect(await permits.releasePermits(name, [...ids, '0'.repeat(32)], fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(1)
      expect(await permits.releasePermits(name, ids, request)).toBe(true)
      expect(await permits.releasePermits(name, ids, request)).toBe(true)
      expect(await permits.releasePermits(name, ids, fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(3)
    })

    test('a lease is made longer, shorter or endless by the id, and read', async () => {
      const [{ permits }, name] = [place.client(), lockName()]
      await permits.trySetPermits(name, 1, fresh())
      const hold = await new Acquisition(permits, name, 1, 60_000).granted()
      const id = String(permitIdsOf(hold.owner, 1)[0])
      expect(await permits.leaseTime(name, id)).toBeLessThanOrEqual(60_000)
      expect(await permits.updateLeaseTime(name, id, LONG_MS, fresh())).toBe(true)
      expect(await permits.leaseTime(name, id)).toBeGreaterThan(60_000)
      expect(await permits.updateLeaseTime(name, id, Number.POSITIVE_INFINITY, fresh())).toBe(true)
      expect(await permits.leaseTime(name, id)).toBe(Number.POSITIVE_INFINITY)
      expect(await new Acquisition(permits, name).acquire()).toMatchObject({
        outcome: 'busy',
        remainingMs: Number.POSITIVE_INFINITY,
      })
      expect(await permits.updateLeaseTime(name, id, 50, fresh())).toBe(true)
      await place.pass(60)
      expect(await permits.leaseTime(name, id)).toBe(0)
      expect(await permits.updateLeaseTime(name, id, 50, fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(1)
    })

    test('X1: a repeated request that sets how many there are, or a lease, leaves what others changed meanwhile', async () => {
      const [{ permits }, { permits: others }, name] = [place.client(), place.client(), lockName()]
      const [setting, leasing] = [fresh(), fresh()]
      await permits.setPermits(name, 5, setting)
      await others.addPermits(name, 3, fresh())
      await permits.setPermits(name, 5, setting)
      expect(await permits.permits(name)).toBe(8)
      const [id = ''] = permitIdsOf((await new Acquisition(others, name).granted()).owner, 1)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
      expect(await others.updateLeaseTime(name, id, LONG_MS, fresh())).toBe(true)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
      expect(await permits.leaseTime(name, id)).toBeGreaterThan(60_000)
      expect(await others.releasePermits(name, [id], fresh())).toBe(true)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
    })
  })
}
