import { afterEach, describe, expect, test } from 'vitest'
import type { Hold, Holdfast } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

describe.each(['memory-virtual-time', 'standalone', 'cluster'] as const)(
  'sequencers of read-write holds: %s',
  (placeName) => {
    const place = placeOf(placeName)
    afterEach(() => place.tidy())

    async function expectStale(peer: Holdfast, ...holds: Hold[]): Promise<void> {
      for (const hold of holds)
        await expect(peer.checkSequencer(hold.sequencer())).rejects.toMatchObject({ code: 'SEQUENCER_STALE' })
    }

    test('say how the lock is held, and are good for as long as it is', async () => {
      const [holder, resource] = [place.holdfast(), place.holdfast()]
      const name = place.lockName()
      const writing = await holder.readWriteLock(name).writeLock().acquire()
      const { fence } = writing
      const checked = await resource.checkSequencer(writing.sequencer())
      expect(checked).toMatchObject({ name, mode: 'exclusive', fence })
      await writing.release()
      await expectStale(resource, writing)
      const readings = [
        await holder.readWriteLock(name).readLock().acquire(),
        await resource.readWriteLock(name).readLock().acquire(),
      ]
      for (const reading of readings)
        expect(await resource.checkSequencer(reading.sequencer())).toMatchObject({ mode: 'shared', fence })
      for (const reading of readings) await reading.release()
      await expectStale(resource, ...readings)
    })

    test('a hold that is nested has the tenure’s; a later tenure of the same owner is another', async () => {
      const holdfast = place.holdfast()
      const owner = holdfast.owner()
      const lock = holdfast.readWriteLock(place.lockName()).writeLock()
      const outer = await lock.acquire({ owner })
      const inner = await lock.acquire({ owner })
      expect(inner.sequencer()).toBe(outer.sequencer())
      await inner.release()
      expect(await holdfast.checkSequencer(outer.sequencer())).toMatchObject({ fence: outer.fence })
      await outer.release()
      const later = await lock.acquire({ owner })
      await expectStale(holdfast, outer)
      expect(await holdfast.checkSequencer(later.sequencer())).toMatchObject({ fence: later.fence })
      await later.release()
    })
  },
)
