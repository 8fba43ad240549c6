import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, ROUNDS, type Scene, WATCHDOG_MS } from './scene.js'

/** The kinds of reentrant locks that both sides share: their names in Redisson, what orders are called, and how they are had here. */
const kinds = [
  ['RLock', 'lock', (holdfast: Holdfast, name: string): Lock => holdfast.lock(name)],
  ['RFencedLock', 'fenced', (holdfast: Holdfast, name: string): Lock => holdfast.fencedLock(name)],
] as const

/** How an answer about the lock's hash begins that ends at its first blank: beside the owner's holds it says since when they are held. */
const fieldsOf = (owner: string, holds: number): string => `{${owner}=${holds},`

export function lockCases(scene: Scene): void {
  const { place } = scene

  describe.each(kinds)(`%s on ${scene.server}`, (_kind, sort, handle) => {
    let order: ReturnType<Scene['orders']>
    beforeEach(() => {
      order = scene.orders(sort, randomUUID())
    })
    const elsewhere = scene.orders(sort)

    test('held there: refused here, read with its count and time left, woken for by the last release', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const lock = handle(holdfast, place.lockName())
        await order('lock', lock.name, LONG_LEASE_MS)
        await order('lock', lock.name, LONG_LEASE_MS)
        expect(await lock.tryAcquire()).toBeNull()
        const { owners, remainingMs } = await lock.inspect()
        expect(owners).toMatchObject([{ owner: expect.stringMatching(/^[0-9a-f-]{36}:\d+$/), holds: 2 }])
        expect(remainingMs).toBeGreaterThan(LONG_LEASE_MS - 60_000)
        expect(remainingMs).toBeLessThanOrEqual(LONG_LEASE_MS)

        const waiting = lock.acquire()
        await scene.untilWaiting(lock)
        await order('unlock', lock.name)
        expect(await lock.holdCount(owners[0]?.owner)).toBe(1)
        await order('unlock', lock.name)
        await (await waiting).release()
      }
    })

    test('held here: refused there, read with its count and time left, woken for by the last release', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const lock = handle(holdfast, place.lockName())
        const hold = await lock.acquire({ leaseMs: LONG_LEASE_MS })
        const nested = await hold.run(() => lock.acquire({ leaseMs: LONG_LEASE_MS }))
        expect(await order('tryLock', lock.name, 0, -1)).toBe('false')
        expect(await order('isLocked', lock.name)).toBe('true')
        expect(await order('owners', lock.name)).toBe(fieldsOf(hold.owner, 2))
        const remainingMs = Number(await order('remainingMs', lock.name))
        expect(remainingMs).toBeGreaterThan(LONG_LEASE_MS - 60_000)
        expect(remainingMs).toBeLessThanOrEqual(LONG_LEASE_MS)
        await expect(order('unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')

        const waiting = order('tryLock', lock.name, LONG_LEASE_MS, LONG_LEASE_MS)
        await scene.untilWaiting(lock)
        await nested.release()
        expect(await elsewhere('owners', lock.name)).toBe(fieldsOf(hold.owner, 1))
        await hold.release()
        expect(await waiting).toBe('true')
        expect(await order('holdCount', lock.name)).toBe('1')
        await order('unlock', lock.name)
        expect(await lock.isLocked()).toBe(false)
      }
    })

    test('nested sections of both sides lose no update of a number that nothing else guards', {
      timeout: LOAD_TIMEOUT_MS,
    }, async () => {
      const lock = handle(place.holdfast(), place.lockName())
      const client = place.client()
      const key = `{${lock.name}}:number`
      await client.call('SET', key, 0)
      const read = async (): Promise<number> => Number(await client.call('GET', key))
      const times = 1_000
      const theirs = [1, 2].map(() => elsewhere('sections', lock.name, key, times, LONG_LEASE_MS))
      // One under the watchdog and one with a lease, which others cannot see the end of.
      const ours = [{}, { leaseMs: LONG_LEASE_MS }].map(async (options) => {
        for (let time = 0; time < times; time += 1)
          await lock.withLock(options, () =>
            lock.withLock(options, async () => client.call('SET', key, (await read()) + 1)),
          )
      })
      await Promise.all([...theirs, ...ours])
      expect(await read()).toBe(4 * times)
      expect(await lock.isLocked()).toBe(false)
    })

    test('each side renews what it holds while the other waits', async () => {
      const lock = handle(place.holdfast({ watchdogMs: WATCHDOG_MS }), place.lockName())
      await order('lock', lock.name, -1)
      const waiting = lock.acquire()
      await scene.untilWaiting(lock)
      await scene.untilRenewed(lock, 4)
      expect(await lock.holdCount((await lock.inspect()).owners[0]?.owner)).toBe(1)
      await order('unlock', lock.name)
      const hold = await waiting

      const other = order('tryLock', lock.name, LONG_LEASE_MS, -1)
      await scene.untilWaiting(lock)
      await scene.untilRenewed(lock, 4)
      hold.assertHeld()
      await hold.release()
      expect(await other).toBe('true')
      await order('unlock', lock.name)
    })

    test('forceUnlock of either side frees the lock and wakes, and the holder learns that it lost it', async () => {
      const lock = handle(place.holdfast({ watchdogMs: WATCHDOG_MS }), place.lockName())
      const hold = await lock.acquire()
      const waiting = order('tryLock', lock.name, LONG_LEASE_MS, LONG_LEASE_MS)
      await scene.untilWaiting(lock)
      expect(await elsewhere('forceUnlock', lock.name)).toBe('true')
      expect(await waiting).toBe('true')
      await place.eventually(() => hold.signal.aborted)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await order('holdCount', lock.name)).toBe('1')

      const after = lock.acquire()
      await scene.untilWaiting(lock)
      expect(await handle(place.holdfast(), lock.name).forceUnlock()).toBe(true)
      const taken = await after
      await expect(order('unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')
      await taken.release()
    })
  })

  describe(`tokens on ${scene.server}: both sides mint them from one counter`, () => {
    test('a tenure here has a greater token than the one there before it, and the reverse', async () => {
      const lock = place.holdfast().fencedLock(place.lockName())
      const order = scene.orders('fenced', randomUUID())
      let last = 0n
      for (let round = 0; round < ROUNDS; round += 1) {
        const theirs = BigInt(await order('lockAndGetToken', lock.name))
        expect(theirs).toBeGreaterThan(last)
        await order('unlock', lock.name)

        const hold = await lock.acquire()
        const nested = await hold.run(() => lock.acquire())
        expect(hold.fence).toBeGreaterThan(theirs)
        expect(nested.fence).toBe(hold.fence)
        last = hold.fence ?? 0n
        expect(BigInt(await order('token', lock.name))).toBe(last)
        await nested.release()
        await hold.release()
      }
    })

    test('a plain lock of the other side excludes a fenced one of the same name', async () => {
      const name = place.lockName()
      const fenced = place.holdfast().fencedLock(name)
      const plain = scene.orders('lock', randomUUID())
      await plain('lock', name, LONG_LEASE_MS)
      expect(await fenced.tryAcquire()).toBeNull()
      await plain('unlock', name)

      const hold = await place.holdfast().lock(name).acquire()
      expect(await scene.orders('fenced')('tryLockAndGetToken', name, 0, LONG_LEASE_MS)).toBe('null')
      await hold.release()
      expect(await fenced.isLocked()).toBe(false)
    })
  })
}
