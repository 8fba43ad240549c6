import { afterEach, describe, expect, test } from 'vitest'
import { inTime, rejectionOf } from '../../src/conformance/outcome.js'
import { placeOf } from '../setup/places.js'

describe.each((['memory', 'standalone', 'cluster'] as const).map((name) => placeOf(name)))(
  'H5: draining ($name)',
  (place) => {
    afterEach(() => place.tidy())

    test.each([true, false])(
      'a writing section may read, and what goes on reading is waited for (read before: %s)',
      async (before) => {
        const holdfast = place.holdfast()
        const both = holdfast.readWriteLock(place.lockName())
        if (before) await both.readLock().withLock(() => undefined)
        const far = place.holdfast().readWriteLock(both.writeLock().name)
        let closed = false
        let closing: Promise<void> | undefined
        const reading = await both.writeLock().withLock(async () => {
          closing = holdfast.close({ drainMs: 60_000 }).then(() => {
            closed = true
          })
          return await both.readLock().acquire()
        })
        expect(await far.writeLock().tryAcquire()).toBeNull()
        expect(await rejectionOf(both.writeLock().acquire())).toMatchObject({ code: 'CLOSED' })
        expect(closed).toBe(false)
        reading.assertHeld()
        await reading.release()
        await inTime(place, Promise.resolve(closing))
        expect(await far.writeLock().isLocked()).toBe(false)
      },
    )
  },
)
