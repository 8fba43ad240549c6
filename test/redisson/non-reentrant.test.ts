/** Redisson's tests of its locks that cannot be re-entered, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, type Lock, LockTimeoutError } from '../../src/index.js'
import { type PlaceName, placeOf } from '../setup/places.js'
import { Thread } from './thread.js'

// Here this is no kind of lock but a way to ask: `owner: holdfast.owner()` is another owner each time, whoever asks. It finds the
// lock busy where Redisson throws, and within its own section it waits for itself only as long as it was told to.
type Asked = (holdfast: Holdfast, name: string) => Lock
const kinds: readonly (readonly [string, Asked])[] = [
  ['lock', (holdfast, name) => holdfast.lock(name)],
  ['fair lock', (holdfast, name) => holdfast.fairLock(name)],
]
const places: readonly PlaceName[] = ['memory', 'standalone']

describe.each(places)('asked for as a new owner, %s', (placeName) => {
  const place = placeOf(placeName)
  afterEach(() => place.tidy())

  describe.each(kinds)('%s', (_kind, lockOf) => {
    test('testContendingThreadBlocksAndAcquiresOnRelease: another thread waits until it is released', async () => {
      const holdfast = place.holdfast()
      const lock = lockOf(holdfast, place.lockName())
      const [one, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
      const hold = await one.do(() => lock.acquire({ owner: holdfast.owner() }))
      let entered = false
      const waiting = other.do(async () => {
        const next = await lock.acquire({ owner: holdfast.owner() })
        entered = true
        return next
      })
      await place.eventually(() => holdfast.metrics().waiting === 1)
      expect(entered).toBe(false)
      await hold.release()
      await (await waiting).release()
      await one.end()
      await other.end()
    })

    test('testSameThreadReacquireThrows: the same thread is refused, and goes on holding it', async () => {
      const holdfast = place.holdfast()
      const lock = lockOf(holdfast, place.lockName())
      await holdfast.run(async () => {
        const hold = await lock.acquire({ owner: holdfast.owner() })
        expect(await lock.tryAcquire({ owner: holdfast.owner() })).toBeNull()
        const again = lock.acquire({ owner: holdfast.owner(), waitMs: 100 })
        await expect(again).rejects.toThrow(LockTimeoutError)
        // Nor without naming one: the scope's owner is a third.
        expect(await lock.tryLock()).toBe(false)
        hold.assertHeld()
        expect(await lock.holdCount(hold.owner)).toBe(1)
        await hold.release()
      })
    })

    test('testCrossInstanceSameThreadReentryThrows: one handle’s section is not entered through another handle or instance', async () => {
      const holdfast = place.holdfast()
      const lock = lockOf(holdfast, place.lockName())
      await lock.withLock({ owner: holdfast.owner() }, async () => {
        const handle = lockOf(holdfast, lock.name)
        expect(await handle.tryAcquire({ owner: holdfast.owner() })).toBeNull()
        expect(await lockOf(place.holdfast(), lock.name).tryAcquire()).toBeNull()
      })
      expect(await lock.isLocked()).toBe(false)
    })
  })
})
