import { describe, expect, test } from 'vitest'
import type { PermitsKind } from './permits-kind.js'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene } from './scene.js'
import { UnguardedNumber } from './unguarded-number.js'

/** Both sides at once, with as many permits as there are and by the thousand. */
export function permitsLoadCases(scene: Scene, { kind, orders, lease, handle }: PermitsKind): void {
  const { place } = scene
  const both = 'side by side'
  const order = (thread: string, verb: string, name: string, ...args: Array<string | number>) =>
    scene.java.order(thread, `${orders}.${verb}`, name, ...args)

  describe(`${kind} under load on ${scene.server}`, () => {
    test(
      'with one permit the sections of both sides lose no update of a number that nothing else guards',
      async () => {
        const semaphore = handle(place.holdfast(), place.lockName())
        await semaphore.trySetPermits(1)
        const number = new UnguardedNumber(place.client(), `{${semaphore.name}}:number`)
        await number.set(0)
        const times = 500
        const theirs = [1, 2].map(() =>
          order(scene.thread(), 'sections', semaphore.name, number.key, times, ...lease),
        )
        const ours = [{}, { leaseMs: LONG_LEASE_MS }].map(async (options) => {
          for (let time = 0; time < times; time += 1) {
            const hold = await semaphore.acquire(options)
            await number.increase()
            await hold.release()
          }
        })
        await Promise.all([...theirs, ...ours])
        const lost = 4 * times - (await number.read())
        expect(lost).toBe(0)
        expect(await semaphore.availablePermits()).toBe(1)
        scene.count(kind, both, 'sections there', 2 * times)
        scene.count(kind, both, 'sections here', 2 * times)
        scene.count(kind, both, 'updates lost', lost)
      },
      LOAD_TIMEOUT_MS,
    )

    test(
      'never are more inside than there are permits, and all come back',
      async () => {
        const semaphore = handle(place.holdfast(), place.lockName())
        const permits = 5
        await semaphore.trySetPermits(permits)
        const inside = new UnguardedNumber(place.client(), `{${semaphore.name}}:inside`)
        const times = 300
        const theirs = [1, 2, 2].map(async (each) =>
          Number(await order(scene.thread(), 'crowd', semaphore.name, inside.key, times, each)),
        )
        const ours = [1, 2, 2].map(async (each) => {
          let most = 0
          for (let time = 0; time < times; time += 1) {
            const hold = await semaphore.acquire({ permits: each })
            most = Math.max(most, await inside.enter(each))
            await inside.leave(each)
            await hold.release()
          }
          return most
        })
        const most = Math.max(...(await Promise.all([...theirs, ...ours])))
        expect(most).toBeLessThanOrEqual(permits)
        expect(await semaphore.availablePermits()).toBe(permits)
        scene.count(kind, both, 'passages of 1 or 2 permits', 6 * times)
        scene.count(kind, both, `most of ${permits} in use at once`, most)
      },
      LOAD_TIMEOUT_MS,
    )
  })
}
