import { describe, expect, test } from 'vitest'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene } from './scene.js'

const kind = 'RCountDownLatch'
const ROUNDS = 10

/** A latch is counted down by both sides, and opens for both. */
export function latchCases(scene: Scene): void {
  const { place } = scene
  const there = 'Redisson has, Holdfast asks'
  const here = 'Holdfast has, Redisson asks'
  const order = (verb: string, name: string, ...args: Array<string | number>) =>
    scene.java.order(scene.thread(), `latch.${verb}`, name, ...args)

  describe(`${kind} on ${scene.server}`, () => {
    test('set and counted down there: read here, and its opening wakes who waits here', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const latch = holdfast.countDownLatch(place.lockName())
        expect(await order('trySetCount', latch.name, 2)).toBe('true')
        expect(await latch.trySetCount(3)).toBe(false)
        expect(await latch.count()).toBe(2)
        const waiting = [latch.await(), latch.await()]
        await scene.untilWaiting(latch)
        await order('countDown', latch.name, 1)
        expect(await latch.count()).toBe(1)
        await order('countDown', latch.name, 1)
        await Promise.all(waiting)
        expect(await latch.count()).toBe(0)
      }
      scene.count(kind, there, 'count read', ROUNDS)
      scene.count(kind, there, 'woken by message', 2 * ROUNDS)
    })

    test('set and counted down here: read there, and its opening wakes who waits there', async () => {
      const holdfast = place.holdfast()
      for (let round = 0; round < ROUNDS; round += 1) {
        const latch = holdfast.countDownLatch(place.lockName())
        expect(await latch.trySetCount(2)).toBe(true)
        expect(await order('trySetCount', latch.name, 3)).toBe('false')
        expect(await order('count', latch.name)).toBe('2')
        const waiting = [1, 2].map(() => order('await', latch.name, LONG_LEASE_MS))
        await scene.untilWaiting(latch)
        await latch.countDown()
        expect(await order('count', latch.name)).toBe('1')
        await latch.countDown()
        expect(await Promise.all(waiting)).toEqual(['true', 'true'])
        expect(await order('count', latch.name)).toBe('0')
      }
      scene.count(kind, here, 'count read', ROUNDS)
      scene.count(kind, here, 'woken by message', 2 * ROUNDS)
    })

    test(
      'counted down by both sides at once it opens for both, exactly at zero',
      async () => {
        const latch = place.holdfast().countDownLatch(place.lockName())
        const times = 500
        // One more than the workers count, which the test takes off when it has seen that the latch is still shut.
        await latch.trySetCount(4 * times + 1)
        const waiting = [latch.await(), order('await', latch.name, LONG_LEASE_MS)]
        const theirs = [1, 2].map(() => order('countDown', latch.name, times))
        const ours = [1, 2].map(async () => {
          for (let time = 0; time < times; time += 1) await latch.countDown()
        })
        await Promise.all([...theirs, ...ours])
        expect(await latch.count()).toBe(1)
        await latch.countDown()
        expect(await Promise.all(waiting)).toEqual([undefined, 'true'])
        scene.count(kind, 'side by side', 'counted down there', 2 * times)
        scene.count(kind, 'side by side', 'counted down here', 2 * times + 1)
      },
      LOAD_TIMEOUT_MS,
    )

    test('deleted by either side, it opens for who waits on the other', async () => {
      const latch = place.holdfast().countDownLatch(place.lockName())
      await latch.trySetCount(1)
      const ours = latch.await()
      await scene.untilWaiting(latch)
      expect(await order('delete', latch.name)).toBe('true')
      await ours

      const other = place.holdfast().countDownLatch(place.lockName())
      await order('trySetCount', other.name, 1)
      const theirs = order('await', other.name, LONG_LEASE_MS)
      await scene.untilWaiting(other)
      expect(await other.delete()).toBe(true)
      expect(await theirs).toBe('true')
      scene.count(kind, there, 'deleted')
      scene.count(kind, here, 'deleted')
    })

    // In a Cluster Redisson cannot use such a latch at all: its channel is of another slot than its count.
    test.skipIf(scene.server === 'cluster')('with a hash tag in its name it opens both ways', async () => {
      const latch = place.holdfast().countDownLatch(`{${place.lockName()}}:start`)
      await latch.trySetCount(2)
      const waiting = [latch.await(), order('await', latch.name, LONG_LEASE_MS)]
      await scene.untilWaiting(latch, 2)
      await latch.countDown()
      await order('countDown', latch.name, 1)
      await Promise.all(waiting)
      scene.count(kind, 'side by side', 'woken both ways by odd names')
    })
  })
}
