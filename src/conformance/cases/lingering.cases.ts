import { describe, expect } from 'vitest'
import type { AcquireOptions, Hold, Holdfast, HoldfastOptions, Lock } from '../../index.js'
import { given } from '../given.js'
import { untilWaiting } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { scene } from '../scene.js'

/** So long that no test waits for it. */
const LONG_MS = 20_000

/** A lock that nobody holds and its process keeps. */
interface Kept {
  readonly holdfast: Holdfast
  readonly lock: Lock
  /** Another process's handle. */
  readonly far: Lock
}

interface Scene extends Kept {
  /** The hold whose release has left the lock with its process. */
  readonly last: Hold
}

/** A lock that nobody holds and a process keeps. Its client listens from its first acquisition on, and keeps none before it hears. */
async function lingering(
  place: Place,
  options: HoldfastOptions = {},
  terms: AcquireOptions = {},
): Promise<Scene> {
  const { holdfast, lock } = scene(place, place.holdfast({ lingerMs: LONG_MS, ...options }))
  const last = await place.eventually(async () => {
    const hold = await lock.acquire(terms)
    await hold.release()
    return (await lock.inspect()).lingering ? hold : undefined
  })
  if (!last) throw new Error('does not linger')
  return { holdfast, lock, far: place.holdfast().lock(lock.name), last }
}

/** Each way to look at a lock: whether it says that somebody has it. */
function looks(place: Place): ReadonlyArray<(far: Lock) => Promise<boolean>> {
  const listed = async ({ name }: Lock): Promise<boolean> => {
    for await (const state of place.holdfast().list(name)) if (state.name === name) return true
    return false
  }
  return [
    (far) => far.isLocked(),
    async (far) => (await far.inspect()).owners.length > 0,
    async (far) => (await far.remainingMs()) > 0,
    ...(place.traits.lists ? [listed] : []),
  ]
}

/** Cases for places, and kinds, whose locks may stay with their process. */
export function lingersAt(place: Place): ReturnType<typeof given> {
  return given(place, 'lingers', ...(place.kind === 'fenced' ? (['lingersFenced'] as const) : []))
}

/** What is promised of a lock that its process keeps, by the program's wish or by habit. */
export function keptCases(place: Place, kept: () => Promise<Kept>): void {
  const lingers = lingersAt(place)

  lingers('W9: does not refuse a single attempt of another process', async () => {
    const { far } = await kept()
    // Its patience is 25 ms: on a busy machine the other process may need longer to hear and let go, and an attempt more is right.
    await using hold = place.virtual
      ? await inTime(place, far.tryAcquire())
      : await place.eventually(() => far.tryAcquire())
    expect(hold).not.toBeNull()
  })

  lingers('W9: is released by close(), with and without a time to drain', async () => {
    for (const options of [{}, { drainMs: 60_000 }]) {
      const { holdfast, far } = await kept()
      await inTime(place, holdfast.close(options))
      expect(await far.isLocked()).toBe(false)
    }
  })

  if (place.kind === 'fenced')
    lingers('W9: gives each hold a greater token', async () => {
      const { lock } = await kept()
      let fence = 0n
      for (let round = 0; round < 12; round += 1) {
        const hold = await lock.acquire()
        expect(hold.fence).toBeGreaterThan(fence)
        fence = hold.fence ?? 0n
        await hold.release()
      }
    })
}

/** A lock that stays with its process after the release, for as long as nobody else wants it. */
export function lingeringCases(place: Place): void {
  describe('a lock that lingers', () => {
    const lingers = lingersAt(place)
    keptCases(place, () => lingering(place))

    lingers('is free for its own process, which goes on having it', async () => {
      const { holdfast, lock, far, last } = await lingering(place)
      expect(await lock.inspect()).toEqual({ name: lock.name, owners: [], remainingMs: 0, lingering: true })
      expect(await lock.isLocked()).toBe(false)
      expect(await lock.isHeld(last.owner)).toBe(false)
      expect(() => last.assertHeld()).toThrow(expect.objectContaining({ code: 'NOT_OWNER' }))
      // Who asks for its own holds alone asks for nothing that the process might have to give back.
      expect(await far.isHeld(place.holdfast().owner())).toBe(false)
      expect(await lock.inspect()).toMatchObject({ lingering: true })
      expect(holdfast.census).toMatchObject({ calls: 0, tenures: 1 })
    })

    lingers('W9: is free for another process that looks', async () => {
      for (const looksHeld of looks(place)) {
        const { holdfast, far } = await lingering(place)
        // As for a single attempt.
        if (place.virtual) expect(await inTime(place, looksHeld(far))).toBe(false)
        else await place.eventually(async () => !(await looksHeld(far)))
        await place.eventually(() => holdfast.census.tenures === 0)
      }
    })

    lingers('W9: is held for another process that looks while somebody is inside', async () => {
      const { holdfast, lock, far } = await lingering(place)
      const hold = await lock.acquire()
      for (const looksHeld of looks(place)) expect(await inTime(place, looksHeld(far))).toBe(true)
      hold.assertHeld()
      await hold.release()
      await place.eventually(() => holdfast.census.tenures === 0)
    })

    lingers('goes to the next call of its process, which has it like any other', async () => {
      const { holdfast, lock } = await lingering(place)
      const before = holdfast.metrics()
      const [acquired, released] = [journalOf(holdfast, 'acquired'), journalOf(holdfast, 'released')]
      const owners = new Set<string>()
      for (let round = 0; round < 5; round += 1) {
        await using hold = await lock.acquire()
        owners.add(hold.owner)
        hold.assertHeld()
        expect(await lock.inspect()).toMatchObject({ owners: [{ owner: hold.owner, holds: 1 }] })
        await hold.run(() => lock.withLock(async () => expect(await lock.holdCount(hold.owner)).toBe(2)))
      }
      expect(owners.size).toBe(5)
      expect(acquired.map(({ holdCount }) => holdCount)).toEqual(Array(5).fill([1, 2]).flat())
      expect(released.map(({ holdCount }) => holdCount)).toEqual(Array(5).fill([1, 0]).flat())
      expect(holdfast.metrics().lingered - before.lingered).toBe(5)
      expect(holdfast.metrics().held).toBe(0)
    })

    lingers('also to the same owner, as a first hold', async () => {
      const { lock, owner } = scene(place, place.holdfast({ lingerMs: LONG_MS }))
      await place.eventually(async () => {
        await (await lock.acquire({ owner })).release()
        return (await lock.inspect()).lingering
      })
      const hold = await lock.acquire({ owner })
      expect(await lock.holdCount(owner)).toBe(1)
      await hold.release()
      expect(await lock.isHeld(owner)).toBe(false)
    })

    lingers('with another owner inside, its last owner is refused like any other', async () => {
      const { lock, last } = await lingering(place)
      const hold = await lock.acquire()
      expect(await lock.tryAcquire({ owner: last.owner })).toBeNull()
      const waiting = lock.acquire({ owner: last.owner })
      await untilWaiting(place, lock, 1)
      hold.assertHeld()
      await hold.release()
      await using _next = await inTime(place, waiting)
      expect((await lock.inspect()).owners).toMatchObject([{ owner: last.owner, holds: 1 }])
    })

    lingers('goes to another process that waits for it at once, and lingers no more', async () => {
      const { lock, far } = await lingering(place)
      const hold = await inTime(place, far.acquire())
      expect((await lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
    })

    lingers(
      'refuses single attempts while somebody is inside, and then goes to those that wait',
      async () => {
        const { lock, far } = await lingering(place)
        const hold = await lock.acquire()
        expect(await inTime(place, far.tryAcquire())).toBeNull()
        const waiting = far.acquire()
        await untilWaiting(place, far, 1)
        hold.assertHeld()
        await hold.release()
        await (await inTime(place, waiting)).release()
      },
    )

    lingers('is shared by processes that all let it linger, each in its turn', async () => {
      const { lock } = await lingering(place, { handOverSliceMs: 0 })
      const other = place.holdfast({ lingerMs: LONG_MS, handOverSliceMs: 0 }).lock(lock.name)
      const room = new Room()
      const work = [lock, other].map(async (each) => {
        for (let round = 0; round < 25; round += 1) await each.withLock(() => room.visit())
      })
      await inTime(place, Promise.all(work))
      expect(room).toMatchObject({ visits: 50, most: 1 })
    })

    const besidesSpinLock = given(place, 'lingers', 'spinLock')
    if (place.kind === 'lock')
      besidesSpinLock('goes to those that poll, or ask for several at once', async () => {
        const polled = await lingering(place)
        await (await inTime(place, place.holdfast().spinLock(polled.lock.name).acquire())).release()
        const { lock } = await lingering(place)
        const other = place.holdfast()
        const both = other.multiLock([lock.name, place.lockName()].map((name) => other.lock(name)))
        await (await inTime(place, both.acquire())).release()
      })

    const besidesComputeOnce = given(place, 'lingers', 'computeOnce')
    if (place.kind === 'lock')
      besidesComputeOnce('not after computeOnce', async () => {
        const { holdfast, lock } = await lingering(place)
        const key = `${lock.name} computed`
        expect(await holdfast.computeOnce(key, () => 1, { ttlMs: 1_000 })).toBe(1)
        expect(holdfast.census).toMatchObject({ tenures: 1 })
        expect(await place.holdfast().lock(`once:${key}`).isLocked()).toBe(false)
      })

    lingers('does so for its time at the most, however often it is taken meanwhile', async () => {
      const { holdfast, lock, far } = scene(place, place.holdfast({ lingerMs: 300 }))
      await place.eventually(async () => {
        await lock.withLock(() => undefined)
        return (await lock.inspect()).lingering
      })
      let found = holdfast.metrics().lingered
      await place.eventually(async () => {
        await lock.withLock(() => undefined)
        const before = found
        found = holdfast.metrics().lingered
        return found === before
      })
      await place.eventually(() => holdfast.census.tenures === 0)
      expect(await far.isLocked()).toBe(false)
    })

    lingers(
      'L2: with a lease of its own it stays no longer than that; the next call has its own',
      async () => {
        const { holdfast, lock, far } = await lingering(place, {}, { leaseMs: 15_000 })
        const hold = await lock.acquire({ leaseMs: 400_000 })
        expect(hold.remainingMs()).toBeGreaterThan(300_000)
        // Where the server ends no lease, others see the time of the session.
        expect(await lock.remainingMs()).toBeGreaterThan(300_000)
        expect(await inTime(place, far.isLocked())).toBe(true)
        await hold.release()
        const leaseMs = place.lease(2_500)
        const next = await lock.acquire({ leaseMs })
        expect(await lock.remainingMs()).toBeLessThanOrEqual(leaseMs)
        expect(await inTime(place, far.isLocked())).toBe(true)
        await next.release()
        await place.eventually(() => holdfast.census.tenures === 0)
      },
    )

    lingers('forced open elsewhere, it is not taken for granted', async () => {
      const { holdfast, lock, far } = await lingering(place)
      const lost = journalOf(holdfast, 'lost')
      expect(await far.forceUnlock()).toBe(true)
      await using _hold = await inTime(place, far.acquire())
      await place.eventually(() => holdfast.census.tenures === 0)
      expect(await inTime(place, lock.tryAcquire())).toBeNull()
      expect(lost.every(({ over }) => over)).toBe(true)
      expect(holdfast.metrics().held).toBe(0)
    })

    lingers('forced open by its own process, it is free', async () => {
      const { holdfast, lock, far } = await lingering(place)
      await lock.forceUnlock()
      expect(await far.isLocked()).toBe(false)
      expect(holdfast.census.tenures).toBe(0)
      await (await lock.acquire()).release()
    })

    lingers('by the wish of one call, or against that of all', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await place.eventually(async () => {
        await lock.withLock({ lingerMs: LONG_MS }, () => undefined)
        return (await lock.inspect()).lingering
      })
      await (await lock.acquire({ lingerMs: 0 })).release()
      expect(await lock.inspect()).not.toHaveProperty('lingering')
    })
  })
}
