import { describe, expect, test } from 'vitest'
import type { PermitsKind } from './permits-kind.js'
import { LONG_LEASE_MS, type Scene } from './scene.js'
import { WATCHDOG_MS } from './watchdog-time.js'

const ROUNDS = 10

/** What holds for both kinds of semaphores that the two sides share. */
export function permitsCases(scene: Scene, { kind, orders, lease, handle }: PermitsKind): void {
  const { place } = scene
  const there = 'Redisson has, Holdfast asks'
  const here = 'Holdfast has, Redisson asks'
  const both = 'side by side'
  const order = (thread: string, verb: string, name: string, ...args: Array<string | number>) =>
    scene.java.order(thread, `${orders}.${verb}`, name, ...args)

  /** Has Redisson take permits; tells what is to be handed to `release` there. */
  async function take(name: string, permits: number): Promise<string> {
    const answer = await order(scene.thread(), 'acquire', name, permits, ...lease)
    return orders === 'permits' ? answer : String(permits)
  }

  describe(`${kind} on ${scene.server}`, () => {
    test('permits set by one side are seen, and not set again, by the other', async () => {
      const [ours, theirs] = [place.lockName(), place.lockName()].map((name) =>
        handle(place.holdfast(), name),
      )
      if (!ours || !theirs) throw new Error('two handles were made')
      const thread = scene.thread()
      expect(await ours.trySetPermits(5)).toBe(true)
      expect(await order(thread, 'trySetPermits', ours.name, 7)).toBe('false')
      expect(await order(thread, 'availablePermits', ours.name)).toBe('5')
      expect(await order(thread, 'trySetPermits', theirs.name, 7)).toBe('true')
      expect(await theirs.trySetPermits(5)).toBe(false)
      expect(await theirs.availablePermits()).toBe(7)
      scene.count(kind, both, 'permits set and read', 2)
    })

    test('taken there: counted and refused here, woken for by the release', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const semaphore = handle(holdfast, place.lockName())
        await semaphore.trySetPermits(3)
        const taken = await take(semaphore.name, 2)
        expect(await semaphore.availablePermits()).toBe(1)
        expect(await semaphore.tryAcquire({ permits: 2 })).toBeNull()
        const waiting = semaphore.acquire({ permits: 3 })
        await scene.untilWaiting(semaphore)
        await order(scene.thread(), 'release', semaphore.name, taken)
        await (await waiting).release()
        expect(await semaphore.availablePermits()).toBe(3)
      }
      scene.count(kind, there, 'refused', ROUNDS)
      scene.count(kind, there, 'woken by message', ROUNDS)
    })

    test('taken here: counted and refused there, woken for by the release', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const semaphore = handle(holdfast, place.lockName())
        await semaphore.trySetPermits(3)
        const hold = await semaphore.acquire({ permits: 2, leaseMs: LONG_LEASE_MS })
        expect(await order(scene.thread(), 'availablePermits', semaphore.name)).toBe('1')
        const waiting = take(semaphore.name, 3)
        await scene.untilWaiting(semaphore)
        await hold.release()
        const taken = await waiting
        expect(await semaphore.availablePermits()).toBe(0)
        await order(scene.thread(), 'release', semaphore.name, taken)
        expect(await semaphore.availablePermits()).toBe(3)
      }
      scene.count(kind, here, 'refused', ROUNDS)
      scene.count(kind, here, 'woken by message', ROUNDS)
    })

    test('permits added by one side let in who waits on the other', async () => {
      const semaphore = handle(place.holdfast(), place.lockName())
      await semaphore.trySetPermits(1)
      const first = await semaphore.acquire({ leaseMs: LONG_LEASE_MS })
      const second = semaphore.acquire({ leaseMs: LONG_LEASE_MS })
      await scene.untilWaiting(semaphore)
      await order(scene.thread(), 'addPermits', semaphore.name, 1)
      await second

      await scene.untilWaiting(semaphore, 0)
      const waiting = take(semaphore.name, 1)
      await scene.untilWaiting(semaphore)
      await semaphore.addPermits(1)
      await waiting
      expect(await semaphore.availablePermits()).toBe(0)
      await first.release()
      await (await second).release()
      scene.count(kind, there, 'let in by added permits')
      scene.count(kind, here, 'let in by added permits')
    })

    test('what is held here without a lease is renewed while the other side waits', async () => {
      const semaphore = handle(place.holdfast({ watchdogMs: WATCHDOG_MS }), place.lockName())
      await semaphore.trySetPermits(1)
      const hold = await semaphore.acquire()
      const waiting = take(semaphore.name, 1)
      await scene.untilWaiting(semaphore)
      await scene.untilRenewed(semaphore, 4)
      hold.assertHeld()
      expect(await semaphore.availablePermits()).toBe(0)
      await hold.release()
      await waiting
      scene.count(kind, here, 'renewals seen', 4)
    })
  })
}
