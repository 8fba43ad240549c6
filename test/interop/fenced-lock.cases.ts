import { describe, expect, test } from 'vitest'
import { LOAD_TIMEOUT_MS, LONG_LEASE_MS, type Scene } from './scene.js'

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

    test(
      'tokens written down by the sections of both sides only ever grow',
      async () => {
        const lock = place.holdfast().fencedLock(place.lockName())
        const list = `{${lock.name}}:tokens`
        const client = place.client()
        const times = 500
        const theirs = [1, 2].map(() =>
          scene.java.order(scene.thread(), 'fenced.tokens', lock.name, list, times, LONG_LEASE_MS),
        )
        const ours = [{}, { leaseMs: LONG_LEASE_MS }].map(async (options) => {
          for (let time = 0; time < times; time += 1)
            await lock.withLock(options, (hold) => client.call('RPUSH', list, String(hold.fence)))
        })
        await Promise.all([...theirs, ...ours])
        const tokens = await texts(client.call('LRANGE', list, 0, -1))
        // Redisson gives a nested hold a token of its own, and writes down both.
        expect(tokens).toHaveLength(2 * 2 * times + 2 * times)
        const steps = tokens.slice(1).map((token, index) => BigInt(token) - BigInt(tokens[index] ?? 0))
        expect(steps.filter((step) => step <= 0n)).toEqual([])
        scene.count(kind, 'side by side', 'tokens in order', tokens.length)
      },
      LOAD_TIMEOUT_MS,
    )
  })
}

async function texts(reply: Promise<unknown>): Promise<string[]> {
  const list = await reply
  return Array.isArray(list) ? list.map(String) : []
}
