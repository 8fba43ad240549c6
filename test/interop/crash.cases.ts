import { describe, expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import type { Task } from './holder.fixture.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene } from './scene.js'
import { WATCHDOG_MS } from './watchdog-time.js'

/** What a process of either side held when it was killed comes to the other side when its lease has ended. */
export function crashCases(scene: Scene): void {
  const { place } = scene
  const there = 'Redisson has, Holdfast asks'
  const here = 'Holdfast has, Redisson asks'

  function handles() {
    const holdfast = place.holdfast()
    return {
      lock: holdfast.lock(place.lockName()),
      fencedLock: holdfast.fencedLock(place.lockName()),
      semaphore: holdfast.semaphore(place.lockName()),
      permits: holdfast.permitExpirableSemaphore(place.lockName()),
      latch: holdfast.countDownLatch(place.lockName()),
    }
  }

  describe(`crashes on ${scene.server}`, () => {
    test(
      'what a killed JVM held is taken over here',
      async () => {
        const { lock, fencedLock, semaphore, permits, latch } = handles()
        await Promise.all([semaphore.trySetPermits(1), permits.trySetPermits(1), latch.trySetCount(2)])
        const doomed = await scene.another()
        await doomed.order('t', 'lock.lock', lock.name, -1)
        const token = BigInt(await doomed.order('t', 'fenced.lockAndGetToken', fencedLock.name))
        await doomed.order('t', 'semaphore.acquire', semaphore.name, 1)
        await doomed.order('t', 'permits.acquire', permits.name, 1, WATCHDOG_MS)
        await doomed.order('t', 'latch.countDown', latch.name, 1)
        const waiting = [lock, fencedLock, semaphore, permits].map((each) => each.acquire())
        await Promise.all([lock, fencedLock, semaphore, permits].map((each) => scene.untilWaiting(each)))
        await doomed.kill()

        // Redisson's semaphore has no leases: what a crash took is gone until somebody adds as many.
        await semaphore.addPermits(1)
        const [locked, fenced, ...rest] = await Promise.all(waiting)
        expect(fenced?.fence).toBeGreaterThan(token)
        expect(await latch.count()).toBe(1)
        await latch.countDown()
        await latch.await()
        await Promise.all([locked, fenced, ...rest].map((hold) => hold?.release()))
        for (const kind of ['RLock', 'RFencedLock', 'RPermitExpirableSemaphore'])
          scene.count(kind, there, 'taken over from a killed process')
        scene.count('RSemaphore', there, 'made up for a killed process')
        scene.count('RCountDownLatch', there, 'counted on for a killed process')
      },
      LOAD_TIMEOUT_MS,
    )

    test(
      'what a killed Node process held is taken over there',
      async ({ onTestFinished }) => {
        const { lock, fencedLock, semaphore, permits, latch } = handles()
        await Promise.all([semaphore.trySetPermits(1), permits.trySetPermits(1), latch.trySetCount(2)])
        const task: Task = {
          nodes: [...scene.nodes],
          lock: lock.name,
          fencedLock: fencedLock.name,
          semaphore: semaphore.name,
          permits: permits.name,
          latch: latch.name,
        }
        const doomed = Forked.start(new URL('./holder.fixture.ts', import.meta.url), task, onTestFinished)
        const token = BigInt(String(await doomed.told()))
        const order = (verb: string, name: string, ...args: number[]) =>
          scene.java.order(scene.thread(), verb, name, ...args)
        const waiting = [
          order('lock.lock', lock.name, LONG_LEASE_MS),
          order('fenced.tryLockAndGetToken', fencedLock.name, LONG_LEASE_MS, LONG_LEASE_MS),
          order('semaphore.acquire', semaphore.name, 1),
          order('permits.acquire', permits.name, 1, LONG_LEASE_MS),
        ] as const
        await Promise.all([lock, fencedLock, semaphore, permits].map((each) => scene.untilWaiting(each)))
        await doomed.kill()

        // Redisson knows of no leases of a semaphore's permits: a Holdfast that looks gives back what has ended.
        await place.eventually(async () => {
          await semaphore.availablePermits()
          return (await settled(waiting[2])) === 'true'
        })
        const [, theirs] = await Promise.all(waiting)
        expect(BigInt(theirs)).toBeGreaterThan(token)
        expect(await order('latch.count', latch.name)).toBe('1')
        await order('latch.countDown', latch.name, 1)
        await latch.await()
        for (const kind of ['RLock', 'RFencedLock', 'RPermitExpirableSemaphore'])
          scene.count(kind, here, 'taken over from a killed process')
        scene.count('RSemaphore', here, 'given back for a killed process')
        scene.count('RCountDownLatch', here, 'counted on for a killed process')
      },
      LOAD_TIMEOUT_MS,
    )
  })
}

/** What a promise has resolved to; undefined while it has not. */
async function settled<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return await Promise.race([promise, Promise.resolve(undefined)])
}
