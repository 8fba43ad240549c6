import { describe, expect, test } from 'vitest'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, ROUNDS, type Scene } from './scene.js'

export function latchCases(scene: Scene): void {
  const { place } = scene
  const order = scene.orders('latch')
  const latchOf = (name = place.lockName()) => place.holdfast().countDownLatch(name)

  describe(`RCountDownLatch on ${scene.server}`, () => {
    test('set and counted down there: read here, and its opening wakes who waits here', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const latch = latchOf()
        expect(await order('trySetCount', latch.name, 2)).toBe('true')
        expect(await latch.trySetCount(3)).toBe(false)
        const waiting = [latch.await(), latch.await()]
        await scene.untilWaiting(latch)
        for (const left of [2, 1]) {
          expect(await latch.count()).toBe(left)
          await order('countDown', latch.name, 1)
        }
        await Promise.all(waiting)
        expect(await latch.count()).toBe(0)
      }
    })

    test('set and counted down here: read there, and its opening wakes who waits there', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const latch = latchOf()
        expect(await latch.trySetCount(2)).toBe(true)
        expect(await order('trySetCount', latch.name, 3)).toBe('false')
        const waiting = [1, 2].map(() => order('await', latch.name, LONG_LEASE_MS))
        await scene.untilWaiting(latch)
        for (const left of ['2', '1']) {
          expect(await order('count', latch.name)).toBe(left)
          await latch.countDown()
        }
        expect(await Promise.all(waiting)).toEqual(['true', 'true'])
        expect(await order('count', latch.name)).toBe('0')
      }
    })

    test('counted down by both sides at once it opens for both, exactly at zero', {
      timeout: LOAD_TIMEOUT_MS,
    }, async () => {
      const latch = latchOf()
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
    })

    test('deleted by either side, it opens for who waits on the other', async () => {
      const latch = latchOf()
      await latch.trySetCount(1)
      const ours = latch.await()
      await scene.untilWaiting(latch)
      expect(await order('delete', latch.name)).toBe('true')
      await ours

      await order('trySetCount', latch.name, 1)
      const theirs = order('await', latch.name, LONG_LEASE_MS)
      await scene.untilWaiting(latch)
      expect(await latch.delete()).toBe(true)
      expect(await theirs).toBe('true')
    })

    // In a Cluster Redisson cannot use such a latch at all: its channel is of another slot than its count.
    test.skipIf(scene.server === 'cluster')('with a hash tag in its name it opens both ways', async () => {
      const latch = latchOf(`{${place.lockName()}}:start`)
      await latch.trySetCount(2)
      const waiting = [latch.await(), order('await', latch.name, LONG_LEASE_MS)]
      await scene.untilWaiting(latch, 2)
      await latch.countDown()
      await order('countDown', latch.name, 1)
      await Promise.all(waiting)
    })
  })
}
