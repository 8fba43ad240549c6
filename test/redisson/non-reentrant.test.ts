/** Redisson's tests of its locks that cannot be re-entered, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, type Lock, NotReentrantError } from '../../src/index.js'
import { type PlaceName, placeOf } from '../setup/places.js'
import { Thread } from './thread.js'

type Asked = (holdfast: Holdfast, name: string) => Lock
const once = { reentrant: false } as const
const kinds: readonly (readonly [string, Asked])[] = [
  ['lock', (holdfast, name) => holdfast.lock(name, once)],
  ['fair lock', (holdfast, name) => holdfast.fairLock(name, once)],
]
const places: readonly PlaceName[] = ['memory', 'standalone']

describe.each(places)('reentrant: false, %s', (placeName) => {
  const place = placeOf(placeName)
  afterEach(() => place.tidy())

  describe.each(kinds)('%s', (_kind, lockOf) => {
    test('testContendingThreadBlocksAndAcquiresOnRelease: another thread waits until it is released', async () => {
      const holdfast = place.holdfast()
      const lock = lockOf(holdfast, place.lockName())
      const [one, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
      await one.do(() => lock.lock())
      let entered = false
      const waiting = other.do(async () => {
        await lock.lock()
        entered = true
        await lock.unlock()
      })
      await place.eventually(() => holdfast.metrics().waiting === 1)
      expect(entered).toBe(false)
      await one.do(() => lock.unlock())
      await waiting
      expect(await lock.isLocked()).toBe(false)
      await one.end()
      await other.end()
    })

    test('testSameThreadReacquireThrows: the same thread is refused, and one unlock frees it', async () => {
      const holdfast = place.holdfast()
      const lock = lockOf(holdfast, place.lockName())
      await holdfast.run(async () => {
        await lock.lock()
        for (const again of [() => lock.lock(), () => lock.tryLock(), () => lock.tryLock({ waitMs: 100 })])
          await expect(again()).rejects.toThrow(NotReentrantError)
        expect(await lock.isHeld()).toBe(true)
        await lock.unlock()
      })
      expect(await lock.isLocked()).toBe(false)
    })

    test('testCrossInstanceSameThreadReentryThrows: nor through another handle', async () => {
      const holdfast = place.holdfast()
      const one = lockOf(holdfast, place.lockName())
      const other = lockOf(holdfast, one.name)
      await holdfast.run(async () => {
        await one.lock()
        await expect(other.lock()).rejects.toThrow(NotReentrantError)
        await expect(other.tryLock()).rejects.toThrow(NotReentrantError)
        expect(await other.isHeld()).toBe(true)
        await one.unlock()
        expect(await other.isLocked()).toBe(false)
      })
    })
  })
})
