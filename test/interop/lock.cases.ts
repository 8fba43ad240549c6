import { describe, expect, test } from 'vitest'
import { type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene } from './scene.js'
import { UnguardedNumber } from './unguarded-number.js'
import { WATCHDOG_MS } from './watchdog-time.js'

/** A kind of reentrant lock, by its name on each side. */
export interface LockKind {
  readonly kind: 'RLock' | 'RFencedLock'
  readonly orders: 'lock' | 'fenced'
  handle(holdfast: Holdfast, name: string): Lock
}

const ROUNDS = 10

/** How an answer about the lock's hash begins that ends at its first blank: beside the owner's holds it says since when they are held. */
const fieldsOf = (owner: string, holds: number): string => `{${owner}=${holds},`

/** What holds for every reentrant lock that both sides share. */
export function lockCases(scene: Scene, { kind, orders, handle }: LockKind): void {
  const { place } = scene
  const there = 'Redisson has, Holdfast asks'
  const here = 'Holdfast has, Redisson asks'
  const order = (thread: string, verb: string, name: string, ...args: Array<string | number>) =>
    scene.java.order(thread, `${orders}.${verb}`, name, ...args)

  describe(`${kind} on ${scene.server}`, () => {
    test('held there: refused here, read with its count and time left, woken for by the last release', async () => {
      const holdfast = place.holdfast()
      const thread = scene.thread()
      for (let round = 0; round < ROUNDS; round += 1) {
        const lock = handle(holdfast, place.lockName())
        await order(thread, 'lock', lock.name, LONG_LEASE_MS)
        await order(thread, 'lock', lock.name, LONG_LEASE_MS)
        expect(await lock.tryAcquire()).toBeNull()
        const { owners, remainingMs } = await lock.inspect()
        expect(owners).toMatchObject([{ owner: expect.stringMatching(/^[0-9a-f-]{36}:\d+$/), holds: 2 }])
        expect(remainingMs).toBeGreaterThan(LONG_LEASE_MS - 60_000)
        expect(remainingMs).toBeLessThanOrEqual(LONG_LEASE_MS)

        const waiting = lock.acquire()
        await scene.untilWaiting(lock)
        await order(thread, 'unlock', lock.name)
        expect(await lock.holdCount(owners[0]?.owner)).toBe(1)
        await order(thread, 'unlock', lock.name)
        await (await waiting).release()
      }
      for (const what of ['refused', 'count and time left read', 'woken by message'])
        scene.count(kind, there, what, ROUNDS)
    })

    test('held here: refused there, read with its count and time left, woken for by the last release', async () => {
      const holdfast = place.holdfast()
      const thread = scene.thread()
      for (let round = 0; round < ROUNDS; round += 1) {
        const lock = handle(holdfast, place.lockName())
        const hold = await lock.acquire({ leaseMs: LONG_LEASE_MS })
        const nested = await hold.run(() => lock.acquire({ leaseMs: LONG_LEASE_MS }))
        expect(await order(thread, 'tryLock', lock.name, 0, -1)).toBe('false')
        expect(await order(thread, 'isLocked', lock.name)).toBe('true')
        expect(await order(thread, 'owners', lock.name)).toBe(fieldsOf(hold.owner, 2))
        const remainingMs = Number(await order(thread, 'remainingMs', lock.name))
        expect(remainingMs).toBeGreaterThan(LONG_LEASE_MS - 60_000)
        expect(remainingMs).toBeLessThanOrEqual(LONG_LEASE_MS)
        await expect(order(thread, 'unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')

        const waiting = order(thread, 'tryLock', lock.name, LONG_LEASE_MS, LONG_LEASE_MS)
        await scene.untilWaiting(lock)
        await nested.release()
        expect(await order(scene.thread(), 'owners', lock.name)).toBe(fieldsOf(hold.owner, 1))
        await hold.release()
        expect(await waiting).toBe('true')
        expect(await order(thread, 'holdCount', lock.name)).toBe('1')
        await order(thread, 'unlock', lock.name)
        expect(await lock.isLocked()).toBe(false)
      }
      for (const what of ['refused', 'count and time left read', 'woken by message'])
        scene.count(kind, here, what, ROUNDS)
    })

    test(
      'nested sections of both sides lose no update of a number that nothing else guards',
      async () => {
        const lock = handle(place.holdfast(), place.lockName())
        const number = new UnguardedNumber(place.client(), `{${lock.name}}:number`)
        await number.set(0)
        const times = 1_000
        const theirs = [1, 2].map(() =>
          order(scene.thread(), 'sections', lock.name, number.key, times, LONG_LEASE_MS),
        )
        // One under the watchdog and one with a lease, which others cannot see the end of.
        const ours = [{}, { leaseMs: LONG_LEASE_MS }].map(async (options) => {
          for (let time = 0; time < times; time += 1)
            await lock.withLock(options, () => lock.withLock(options, () => number.increase()))
        })
        await Promise.all([...theirs, ...ours])
        const lost = 4 * times - (await number.read())
        expect(lost).toBe(0)
        expect(await lock.isLocked()).toBe(false)
        scene.count(kind, 'side by side', 'nested sections there', 2 * times)
        scene.count(kind, 'side by side', 'nested sections here', 2 * times)
        scene.count(kind, 'side by side', 'updates lost', lost)
      },
      LOAD_TIMEOUT_MS,
    )

    test('each side renews what it holds while the other waits', async () => {
      const lock = handle(place.holdfast({ watchdogMs: WATCHDOG_MS }), place.lockName())
      const thread = scene.thread()
      await order(thread, 'lock', lock.name, -1)
      const waiting = lock.acquire()
      await scene.untilWaiting(lock)
      await scene.untilRenewed(lock, 4)
      expect(await lock.holdCount((await lock.inspect()).owners[0]?.owner)).toBe(1)
      await order(thread, 'unlock', lock.name)
      const hold = await waiting

      const other = order(thread, 'tryLock', lock.name, LONG_LEASE_MS, -1)
      await scene.untilWaiting(lock)
      await scene.untilRenewed(lock, 4)
      hold.assertHeld()
      await hold.release()
      expect(await other).toBe('true')
      await order(thread, 'unlock', lock.name)
      scene.count(kind, there, 'renewals seen', 4)
      scene.count(kind, here, 'renewals seen', 4)
    })

    test('forceUnlock of either side frees the lock and wakes, and the holder learns that it lost it', async () => {
      const holdfast = place.holdfast({ watchdogMs: WATCHDOG_MS })
      const lock = handle(holdfast, place.lockName())
      const thread = scene.thread()
      const hold = await lock.acquire()
      const waiting = order(thread, 'tryLock', lock.name, LONG_LEASE_MS, LONG_LEASE_MS)
      await scene.untilWaiting(lock)
      expect(await order(scene.thread(), 'forceUnlock', lock.name)).toBe('true')
      expect(await waiting).toBe('true')
      await place.eventually(() => hold.signal.aborted)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await order(thread, 'holdCount', lock.name)).toBe('1')

      const after = lock.acquire()
      await scene.untilWaiting(lock)
      expect(await handle(place.holdfast(), lock.name).forceUnlock()).toBe(true)
      const taken = await after
      await expect(order(thread, 'unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')
      await taken.release()
      scene.count(kind, there, 'forced open here')
      scene.count(kind, here, 'forced open there')
    })
  })
}
