import { describe, expect, test } from 'vitest'
import { LONG_LEASE_MS, type Scene } from './scene.js'

const kind = 'RFencedLock'

/** Tokens grow with each tenure, whichever side it is of: both mint them from one counter. */
export function fencedLockCases(scene: Scene): void {
  const { place } = scene

  describe(`tokens on ${scene.server}`, () => {
    test('a tenure here has a greater token than the one there before it, and the reverse', async () => {
      const lock = place.holdfast().fencedLock(place.lockName())
      const thread = scene.thread()
      let last = 0n
      for (let round = 0; round < 10; round += 1) {
        const theirs = BigInt(await scene.java.order(thread, 'fenced.lockAndGetToken', lock.name))
        expect(theirs).toBeGreaterThan(last)
        await scene.java.order(thread, 'fenced.unlock', lock.name)

        const hold = await lock.acquire()
        const nested = await hold.run(() => lock.acquire())
        expect(hold.fence).toBeGreaterThan(theirs)
        expect(nested.fence).toBe(hold.fence)
        last = hold.fence ?? 0n
        expect(BigInt(await scene.java.order(thread, 'fenced.token', lock.name))).toBe(last)
        await nested.release()
        await hold.release()
      }
      scene.count(kind, 'Redisson has, Holdfast asks', 'token exceeded here', 10)
      scene.count(kind, 'Holdfast has, Redisson asks', 'token read and exceeded there', 10)
    })

    test('a plain lock of the other side excludes a fenced one of the same name', async () => {
      const name = place.lockName()
      const thread = scene.thread()
      const fenced = place.holdfast().fencedLock(name)
      await scene.java.order(thread, 'lock.lock', name, LONG_LEASE_MS)
      expect(await fenced.tryAcquire()).toBeNull()
      await scene.java.order(thread, 'lock.unlock', name)

      const hold = await place.holdfast().lock(name).acquire()
      expect(await scene.java.order(thread, 'fenced.tryLockAndGetToken', name, 0, LONG_LEASE_MS)).toBe('null')
      await hold.release()
      expect(await fenced.isLocked()).toBe(false)
    })
  })
}
