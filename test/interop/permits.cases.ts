import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { LONG_LEASE_MS, ROUNDS, type Scene, WATCHDOG_MS } from './scene.js'

export function permitsCases(scene: Scene): void {
  const { place } = scene

  describe.each([
    { kind: 'semaphore', sort: 'semaphore', lease: [] },
    { kind: 'permitExpirableSemaphore', sort: 'permits', lease: [LONG_LEASE_MS] },
  ] as const)(`$kind on ${scene.server}`, ({ kind, sort, lease }) => {
    const order = scene.orders(sort)
    const handle = (options = {}) => place.holdfast(options)[kind](place.lockName())

    /** Has Redisson take permits; tells what is to be handed to `release` there. */
    async function take(name: string, permits: number): Promise<string> {
      const answer = await order('acquire', name, permits, ...lease)
      return sort === 'permits' ? answer : String(permits)
    }

    test('permits set by one side are seen, and not set again, by the other', async () => {
      const [ours, theirs] = [handle(), handle()]
      expect(await ours.trySetPermits(5)).toBe(true)
      expect(await order('trySetPermits', ours.name, 7)).toBe('false')
      expect(await order('availablePermits', ours.name)).toBe('5')
      expect(await order('trySetPermits', theirs.name, 7)).toBe('true')
      expect(await theirs.trySetPermits(5)).toBe(false)
      expect(await theirs.availablePermits()).toBe(7)
    })

    test('taken there: counted and refused here, woken for by the release', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const semaphore = handle()
        await semaphore.trySetPermits(3)
        const taken = await take(semaphore.name, 2)
        expect(await semaphore.availablePermits()).toBe(1)
        expect(await semaphore.tryAcquire({ permits: 2 })).toBeNull()
        const waiting = semaphore.acquire({ permits: 3 })
        await scene.untilWaiting(semaphore)
        await order('release', semaphore.name, taken)
        await (await waiting).release()
        expect(await semaphore.availablePermits()).toBe(3)
      }
    })

    test('taken here: counted and refused there, woken for by the release', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const semaphore = handle()
        await semaphore.trySetPermits(3)
        const hold = await semaphore.acquire({ permits: 2, leaseMs: LONG_LEASE_MS })
        expect(await order('availablePermits', semaphore.name)).toBe('1')
        const waiting = take(semaphore.name, 3)
        await scene.untilWaiting(semaphore)
        await hold.release()
        const taken = await waiting
        expect(await semaphore.availablePermits()).toBe(0)
        await order('release', semaphore.name, taken)
        expect(await semaphore.availablePermits()).toBe(3)
      }
    })

    test('permits added by one side let in who waits on the other', async () => {
      const semaphore = handle()
      await semaphore.trySetPermits(1)
      const first = await semaphore.acquire({ leaseMs: LONG_LEASE_MS })
      const second = semaphore.acquire({ leaseMs: LONG_LEASE_MS })
      await scene.untilWaiting(semaphore)
      await order('addPermits', semaphore.name, 1)
      await second

      await scene.untilWaiting(semaphore, 0)
      const waiting = take(semaphore.name, 1)
      await scene.untilWaiting(semaphore)
      await semaphore.addPermits(1)
      await waiting
      expect(await semaphore.availablePermits()).toBe(0)
      await first.release()
      await (await second).release()
    })

    test('what is held here without a lease is renewed while the other side waits', async () => {
      const semaphore = handle({ watchdogMs: WATCHDOG_MS })
      await semaphore.trySetPermits(1)
      const hold = await semaphore.acquire()
      const waiting = take(semaphore.name, 1)
      await scene.untilWaiting(semaphore)
      await scene.untilRenewed(semaphore, 4)
      hold.assertHeld()
      expect(await semaphore.availablePermits()).toBe(0)
      await hold.release()
      await waiting
    })
  })

  describe(`permits without ids on ${scene.server}`, () => {
    const order = scene.orders('semaphore')

    test('what one side drains is gone for the other', async () => {
      const semaphore = place.holdfast().semaphore(place.lockName())
      await semaphore.trySetPermits(3)
      expect(await order('drainPermits', semaphore.name)).toBe('3')
      expect(await semaphore.tryAcquire()).toBeNull()
      await order('addPermits', semaphore.name, 2)
      expect(await semaphore.drainPermits()).toBe(2)
      expect(await order('tryAcquire', semaphore.name, 1, 0)).toBe('false')
    })

    test('a permit that is given back there without having been taken lets in who waits here', async () => {
      const semaphore = place.holdfast().semaphore(place.lockName())
      const waiting = semaphore.acquire()
      await scene.untilWaiting(semaphore)
      await order('release', semaphore.name, 1)
      await (await waiting).release()
      expect(await order('availablePermits', semaphore.name)).toBe('1')
    })
  })

  describe(`permits by their ids on ${scene.server}`, () => {
    const order = scene.orders('permits')
    async function semaphoreOf(permits: number, options = {}) {
      const semaphore = place.holdfast(options).permitExpirableSemaphore(place.lockName())
      await semaphore.trySetPermits(permits)
      return semaphore
    }

    test('taken there: its lease is read and changed here, and it is given back here', async () => {
      const semaphore = await semaphoreOf(1)
      const id = await order('acquire', semaphore.name, 1, 60_000)
      expect(await semaphore.leaseMs(id)).toBeGreaterThan(30_000)
      expect(await semaphore.leaseMs(id)).toBeLessThanOrEqual(60_000)
      expect(await semaphore.updateLeaseTime(id, LONG_LEASE_MS)).toBe(true)
      expect(Number(await order('leaseTime', semaphore.name, id))).toBeGreaterThan(60_000)

      const waiting = order('acquire', semaphore.name, 1, LONG_LEASE_MS)
      await scene.untilWaiting(semaphore)
      expect(await semaphore.tryRelease(id)).toBe(true)
      expect(await waiting).not.toBe(id)
      expect(await semaphore.tryRelease(id)).toBe(false)
      expect(await order('tryRelease', semaphore.name, id)).toBe('false')
    })

    test('taken here: its lease is read and changed there, and given back there it is lost here', async () => {
      const semaphore = await semaphoreOf(2, { watchdogMs: WATCHDOG_MS })
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
    })

    test('when the lease of either side ends, the other takes the permit', async () => {
      const semaphore = await semaphoreOf(1)
      const theirs = await order('acquire', semaphore.name, 1, 700)
      const hold = await semaphore.acquire({ leaseMs: 700 })
      expect(await order('tryRelease', semaphore.name, theirs)).toBe('false')

      const next = await order('acquire', semaphore.name, 1, LONG_LEASE_MS)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await order('tryRelease', semaphore.name, next)).toBe('true')
    })
  })
}
