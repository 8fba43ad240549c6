import { describe, expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import type { Task } from './holder.fixture.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene, WATCHDOG_MS } from './scene.js'

/** What a process of either side held when it was killed comes to the other side when its lease has ended. */
export function crashCases(scene: Scene): void {
  const { place } = scene

  async function handles() {
    const holdfast = place.holdfast()
    const of = {
      lock: holdfast.lock(place.lockName()),
      fencedLock: holdfast.fencedLock(place.lockName()),
      semaphore: holdfast.semaphore(place.lockName()),
      permits: holdfast.permitExpirableSemaphore(place.lockName()),
      latch: holdfast.countDownLatch(place.lockName()),
    }
    await Promise.all([of.semaphore.trySetPermits(1), of.permits.trySetPermits(1), of.latch.trySetCount(2)])
    const { latch, ...held } = of
    return { ...of, held: Object.values(held) }
  }

  describe(`crashes on ${scene.server}`, { timeout: LOAD_TIMEOUT_MS }, () => {
    test('what a killed JVM held is taken over here', async () => {
      const { lock, fencedLock, semaphore, permits, latch, held } = await handles()
      const doomed = await scene.another()
      await doomed.order('t', 'lock.lock', lock.name, -1)
      const token = BigInt(await doomed.order('t', 'fenced.lockAndGetToken', fencedLock.name))
      await doomed.order('t', 'semaphore.acquire', semaphore.name, 1)
      await doomed.order('t', 'permits.acquire', permits.name, 1, WATCHDOG_MS)
      await doomed.order('t', 'latch.countDown', latch.name, 1)
      const waiting = held.map((each) => each.acquire())
      await Promise.all(held.map((each) => scene.untilWaiting(each)))
      await doomed.kill()

      // Redisson's semaphore has no leases: what a crash took is gone until somebody adds as many.
      await semaphore.addPermits(1)
      const holds = await Promise.all(waiting)
      expect(holds[1]?.fence).toBeGreaterThan(token)
      expect(await latch.count()).toBe(1)
      await latch.countDown()
      await latch.await()
      await Promise.all(holds.map((hold) => hold.release()))
    })

    test('what a killed Node process held is taken over there', async ({ onTestFinished }) => {
      const { lock, fencedLock, semaphore, permits, latch, held } = await handles()
      const names = {
        lock: lock.name,
        fencedLock: fencedLock.name,
        semaphore: semaphore.name,
        permits: permits.name,
        latch: latch.name,
      }
      const task: Task = { nodes: scene.nodes, watchdogMs: WATCHDOG_MS, names }
      const doomed = Forked.start(new URL('./holder.fixture.ts', import.meta.url), task, onTestFinished)
      const token = BigInt(String(await doomed.told()))
      let given = false
      const waiting = [
        scene.orders('lock')('lock', lock.name, LONG_LEASE_MS),
        scene.orders('fenced')('tryLockAndGetToken', fencedLock.name, LONG_LEASE_MS, LONG_LEASE_MS),
        scene
          .orders('semaphore')('acquire', semaphore.name, 1)
          .finally(() => {
            given = true
          }),
        scene.orders('permits')('acquire', permits.name, 1, LONG_LEASE_MS),
      ] as const
      await Promise.all(held.map((each) => scene.untilWaiting(each)))
      await doomed.kill()

      // Redisson knows of no leases of a semaphore's permits: a Holdfast that looks gives back what has ended.
      await place.eventually(async () => {
        await semaphore.availablePermits()
        return given
      })
      const [, theirs] = await Promise.all(waiting)
      expect(BigInt(theirs)).toBeGreaterThan(token)
      expect(await scene.orders('latch')('count', latch.name)).toBe('1')
      await scene.orders('latch')('countDown', latch.name, 1)
      await latch.await()
    })
  })
}
