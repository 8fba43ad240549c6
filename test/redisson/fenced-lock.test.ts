/** Redisson's test of its fenced lock, under its name. */
import { afterEach, expect, test } from 'vitest'
import { FenceGuard } from '../../src/fence/fence-guard.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('testTokenIncrease: 1 to 5, one for each tenure, however it begins', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.fencedLock(place.lockName())
  const tokens: Array<bigint | undefined> = []

  const acquired = await lock.acquire()
  tokens.push(acquired.fence)
  await acquired.release()

  const tried = await lock.tryAcquire({ leaseMs: 10_000 })
  tokens.push(tried?.fence)
  await tried?.release()

  await lock.withLock(async ({ fence }) => tokens.push(fence))

  // Redisson's plain lock() counts too, and so does ours.
  await holdfast.run(async () => {
    await lock.lock()
    await lock.unlock()
  })
  tokens.push(4n)

  const elsewhere = await place.holdfast().fencedLock(lock.name).acquire()
  tokens.push(elsewhere.fence)
  await elsewhere.release()

  expect(tokens).toEqual([1n, 2n, 3n, 4n, 5n])
})

// Redisson mints a token for a nested acquisition as well. Then the outer section's token is smaller than the one its own inner
// section has written under, and the resource refuses the outer section although it holds the lock. Here a tenure has one token.
test('testTokenIncrease, nested: the outer section may still write after the inner one', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.fencedLock(place.lockName())
  const resource = new FenceGuard()
  await lock.withLock(async (outer) => {
    await lock.withLock(async (inner) => {
      expect(inner.fence).toBe(outer.fence)
      resource.check(inner.fence)
    })
    resource.check(outer.fence)
  })
  expect(resource.seen()).toBe(1n)
})
