import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { LONG_LEASE_MS, type Scene } from './scene.js'
import { WATCHDOG_MS } from './watchdog-time.js'

const kind = 'RPermitExpirableSemaphore'

/** A permit is known by its id on both sides, and its lease ends by the clock whoever took it. */
export function permitIdsCases(scene: Scene): void {
  const { place } = scene
  const there = 'Redisson has, Holdfast asks'
  const here = 'Holdfast has, Redisson asks'
  const order = (verb: string, name: string, ...args: Array<string | number>) =>
    scene.java.order(scene.thread(), `permits.${verb}`, name, ...args)

  describe(`permits by their ids on ${scene.server}`, () => {
    test('taken there: its lease is read and changed here, and it is given back here', async () => {
      const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
      await semaphore.trySetPermits(1)
      const id = await order('acquire', semaphore.name, 1, 60_000)
      expect(await semaphore.leaseMs(id)).toBeGreaterThan(30_000)
      expect(await semaphore.leaseMs(id)).toBeLessThanOrEqual(60_000)
      expect(await semaphore.updateLeaseTime(id, LONG_LEASE_MS)).toBe(true)
      expect(Number(await order('leaseTime', semaphore.name, id))).toBeGreaterThan(60_000)

      const waiting = order('acquire', semaphore.name, 1, LONG_LEASE_MS)
      await scene.untilWaiting(semaphore)
      expect(await semaphore.tryRelease(id)).toBe(true)
      const next = await waiting
      expect(next).not.toBe(id)
      expect(await semaphore.tryRelease(id)).toBe(false)
      expect(await order('tryRelease', semaphore.name, id)).toBe('false')
      scene.count(kind, there, 'lease read and changed by id')
      scene.count(kind, there, 'given back by id')
    })

    test('taken here: its lease is read and changed there, and given back there it is lost here', async () => {
      const semaphore = place.holdfast({ watchdogMs: WATCHDOG_MS }).permitExpirableSemaphore(place.lockName())
      await semaphore.trySetPermits(2)
      const leased = await semaphore.acquire({ leaseMs: 60_000 })
      const [id = ''] = leased.permitIds
      const leaseMs = Number(await order('leaseTime', semaphore.name, id))
      expect(leaseMs).toBeGreaterThan(30_000)
      expect(leaseMs).toBeLessThanOrEqual(60_000)
      expect(await order('updateLeaseTime', semaphore.name, id, LONG_LEASE_MS)).toBe('true')
      expect(await semaphore.leaseMs(id)).toBeGreaterThan(60_000)

      const watched = await semaphore.acquire()
      expect(await order('tryRelease', semaphore.name, String(watched.permitIds[0]))).toBe('true')
      await place.eventually(() => watched.signal.aborted)
      await expect(watched.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await semaphore.availablePermits()).toBe(1)
      await leased.release()
      scene.count(kind, here, 'lease read and changed by id')
      scene.count(kind, here, 'given back by id')
    })

    test('when the lease of either side ends, the other takes the permit', async () => {
      const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
      await semaphore.trySetPermits(1)
      const theirs = await order('acquire', semaphore.name, 1, 700)
      const hold = await semaphore.acquire({ leaseMs: 700 })
      expect(await order('tryRelease', semaphore.name, theirs)).toBe('false')

      const next = await order('acquire', semaphore.name, 1, LONG_LEASE_MS)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await order('tryRelease', semaphore.name, next)).toBe('true')
      scene.count(kind, there, 'taken when the lease ended')
      scene.count(kind, here, 'taken when the lease ended')
    })
  })
}
