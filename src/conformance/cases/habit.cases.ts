import { describe, expect } from 'vitest'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { scene } from '../scene.js'
import { keptCases, lingersAt } from './lingering.cases.js'

/** A lock that its process has come back to so often, and so soon, that it keeps it, where that is known to be safe. */
async function kept(place: Place) {
  const { holdfast, lock } = scene(place, place.holdfast({ lingerMs: 'auto' }))
  for (let round = 0; round < 200 && holdfast.census.tenures === 0; round += 1)
    await (await lock.acquire()).release()
  if (place.virtual) expect(holdfast.census.tenures).toBe(1)
  return { holdfast, lock, far: place.holdfast().lock(lock.name) }
}

/** What nobody asks for is kept by habit at the most: the promises of that (rule W9). */
export function habitCases(place: Place): void {
  describe('a lock that its process keeps by habit', () => {
    const lingers = lingersAt(place)
    keptCases(place, () => kept(place))

    lingers('W9: not one that is taken once, nor a few times', async () => {
      const { lock, far } = scene(place, place.holdfast({ lingerMs: 'auto' }))
      for (let round = 0; round < 6; round += 1) {
        await (await lock.acquire()).release()
        expect(await far.isLocked()).toBe(false)
      }
      await (await far.acquire()).release()
    })

    lingers('W9: goes to another process that waits for it', async () => {
      const { far } = await kept(place)
      await (await inTime(place, far.acquire())).release()
      expect(await far.isLocked()).toBe(false)
    })

    if (place.kind === 'lock')
      lingers('W9: nor one for several locks', async () => {
        const { lock } = await kept(place)
        const other = place.holdfast()
        const both = other.multiLock([lock.name, place.lockName()].map((name) => other.lock(name)))
        const hold = place.virtual
          ? await inTime(place, both.tryAcquire())
          : await place.eventually(() => both.tryAcquire())
        expect(hold).not.toBeNull()
        await hold?.release()
      })

    lingers('W9: is free soon although nobody asks for it', async () => {
      const { holdfast, far } = await kept(place)
      await place.eventually(() => holdfast.census.tenures === 0)
      expect(await far.isLocked()).toBe(false)
    })

    lingers('W9: is free for another process that looks', async () => {
      const { holdfast, far } = await kept(place)
      const locked = await inTime(place, far.isLocked())
      // On a busy machine the message may come later than anybody waits for it.
      if (place.virtual) expect(locked).toBe(false)
      await place.eventually(() => holdfast.census.tenures === 0)
    })

    lingers('W9: is shared by processes in loops, one inside at a time', async () => {
      const locks = [scene(place).lock.name].flatMap((name) =>
        [1, 2, 3].map(() => place.holdfast({ lingerMs: 'auto' }).lock(name)),
      )
      const room = new Room()
      const work = locks.map(async (lock) => {
        for (let round = 0; round < 40; round += 1) await lock.withLock(() => room.visit())
      })
      await inTime(place, Promise.all(work))
      expect(room).toMatchObject({ visits: 120, most: 1 })
    })
  })
}
