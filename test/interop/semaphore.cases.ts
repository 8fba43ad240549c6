import { describe, expect, test } from 'vitest'
import type { Scene } from './scene.js'

const kind = 'RSemaphore'

export function semaphoreCases(scene: Scene): void {
  const { place } = scene
  const order = (verb: string, name: string, ...args: number[]) =>
    scene.java.order(scene.thread(), `semaphore.${verb}`, name, ...args)

  describe(`permits without ids on ${scene.server}`, () => {
    test('what one side drains is gone for the other', async () => {
      const semaphore = place.holdfast().semaphore(place.lockName())
      await semaphore.trySetPermits(3)
      expect(await order('drainPermits', semaphore.name)).toBe('3')
      expect(await semaphore.tryAcquire()).toBeNull()
      await order('addPermits', semaphore.name, 2)
      expect(await semaphore.drainPermits()).toBe(2)
      expect(await order('tryAcquire', semaphore.name, 1, 0)).toBe('false')
      scene.count(kind, 'Redisson has, Holdfast asks', 'drained')
      scene.count(kind, 'Holdfast has, Redisson asks', 'drained')
    })

    test('a permit that is given back there without having been taken lets in who waits here', async () => {
      const semaphore = place.holdfast().semaphore(place.lockName())
      const waiting = semaphore.acquire()
      await scene.untilWaiting(semaphore)
      await order('release', semaphore.name, 1)
      await (await waiting).release()
      expect(await order('availablePermits', semaphore.name)).toBe('1')
      scene.count(kind, 'Redisson has, Holdfast asks', 'woken by message')
    })
  })
}
