/** What Redisson's reactive clients are tested for beside its others: callers that are no thread, but say who they are. */
import { afterEach, describe, expect, test } from 'vitest'
import { NotOwnerError } from '../../src/index.js'
import { type PlaceName, placeOf } from '../setup/places.js'

const places: readonly PlaceName[] = ['memory', 'standalone']

describe.each(places)('explicit owners, %s', (placeName) => {
  const place = placeOf(placeName)
  afterEach(() => place.tidy())

  test('testIsHeldByThread: by the owner that took it, and by no other, wherever it is asked', async () => {
    const holdfast = place.holdfast()
    const lock = holdfast.lock(place.lockName())
    const [one, other] = [holdfast.owner(), holdfast.owner()]
    await lock.lock({ owner: one })
    const elsewhere = place.holdfast().lock(lock.name)
    for (const handle of [lock, elsewhere]) {
      expect(await handle.isHeld(one)).toBe(true)
      expect(await handle.isHeld(other)).toBe(false)
      expect(await handle.holdCount(one)).toBe(1)
    }
    await expect(lock.unlock({ owner: other })).rejects.toThrow(NotOwnerError)
    await lock.unlock({ owner: one })
    expect(await lock.isHeld(one)).toBe(false)
  })

  test('testMultiLock: several as one for an owner that is named', async () => {
    const holdfast = place.holdfast()
    const name = place.lockName()
    const multi = holdfast.multiLock([0, 1, 2].map((index) => holdfast.lock(`${name}:${index}`)))
    const [one, other] = [holdfast.owner(), holdfast.owner()]
    await multi.lock({ owner: one })
    expect(await multi.isHeld(one)).toBe(true)
    expect(await multi.isHeld(other)).toBe(false)
    expect(await multi.tryLock({ owner: other })).toBe(false)
    expect(await multi.tryLock({ owner: one })).toBe(true)
    for (let depth = 2; depth > 0; depth -= 1) {
      expect(await multi.locks[0]?.holdCount(one)).toBe(depth)
      await multi.unlock({ owner: one })
    }
    expect(await multi.isLocked()).toBe(false)
  })
})
