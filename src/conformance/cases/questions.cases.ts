import { describe, expect, test } from 'vitest'
import type { Holdfast, LockState } from '../../index.js'
import { given } from '../given.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** What may be asked of a lock, and breaking it open. */
export function questionsCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('questions', () => {
    test('a free lock answers that nobody holds it', async () => {
      const { lock } = scene(place)
      const answers = [
        await lock.isLocked(),
        await lock.isHeld(),
        await lock.holdCount(),
        await lock.remainingMs(),
      ]
      expect(answers).toEqual([false, false, 0, 0])
      expect(await lock.inspect()).toEqual({ name: lock.name, owners: [], remainingMs: 0 })
      expect(place.countsWaiters ? [0] : [0, undefined]).toContain(await lock.countWaitingClients())
    })

    whereNamed('a held lock answers for its holder and for others, to every client', async () => {
      const { holdfast, lock } = scene(place)
      const me = holdfast.owner()
      const holds = [
        await lock.acquire({ owner: me, leaseMs: 60_000 }),
        await lock.acquire({ owner: me, leaseMs: 60_000 }),
      ]
      for (const from of [lock, place.holdfast().lock(lock.name)]) {
        expect(await from.isLocked()).toBe(true)
        expect([await from.isHeld(me), await from.isHeld(holdfast.owner()), await from.isHeld()]).toEqual([
          true,
          false,
          false,
        ])
        const holds = from === lock ? 2 : place.visible(2)
        expect([await from.holdCount(me), await from.holdCount()]).toEqual([holds, 0])
        const left = await from.remainingMs()
        expect(left).toBeGreaterThan(40_000)
        expect(left).toBeLessThanOrEqual(60_000)
        const state = await from.inspect()
        expect(state).toMatchObject({ name: lock.name, owners: [{ owner: me, holds }] })
        expect(state.remainingMs).toBeGreaterThan(40_000)
      }
      for (const hold of holds) await hold.release()
    })

    const listing = given(place, 'lists', 'namesHolder')
    listing('list shows the locks that are held, with their holders, and none that are free', async () => {
      const [holdfast, far] = [place.holdfast(), place.holdfast()]
      const stem = place.lockName()
      const names = Array.from({ length: 12 }, (_, number) => `${stem}/${number}`)
      const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
      const states = await listed(far, `${stem}/*`)
      expect(states.map(({ name }) => name).sort()).toEqual([...names].sort())
      for (const { name, owners, remainingMs } of states) {
        expect(owners).toMatchObject([{ owner: holds.find((hold) => hold.name === name)?.owner, holds: 1 }])
        expect(remainingMs).toBeGreaterThan(0)
      }
      const everything = await listed(far)
      expect(everything.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
      await holds[0]?.release()
      expect(await listed(far, `${stem}/0`)).toEqual([])
      expect(await listed(far, `${stem}/?`)).toHaveLength(9)
      await Promise.all(holds.map((hold) => hold.release()))
      expect(await listed(far, `${stem}*`)).toEqual([])
    })

    listing('list takes the glob’s special characters in a name literally after a backslash', async () => {
      const holdfast = place.holdfast()
      const name = `${place.lockName()}[a]*?`
      await using hold = await holdfast.lock(name).acquire()
      expect(await listed(holdfast, name.replace(/[[\]*?\\]/g, '\\$&'))).toMatchObject([
        { name, owners: [{ owner: hold.owner }] },
      ])
    })

    test('forceUnlock frees a lock whoever holds it, however often, and tells whether it was held', async () => {
      const { lock, far, owner } = scene(place)
      expect(await far.forceUnlock()).toBe(false)
      await lock.acquire({ owner })
      await lock.acquire({ owner })
      expect(await far.forceUnlock()).toBe(true)
      expect(await far.forceUnlock()).toBe(false)
      expect(await far.inspect()).toEqual({ name: lock.name, owners: [], remainingMs: 0 })
      await using _next = await far.acquire()
    })

    test('asking costs the holder nothing: no hold, no waiter and no time changes', async () => {
      const { holdfast, lock } = scene(place)
      await using hold = await lock.acquire({ leaseMs: 60_000 })
      const before = holdfast.census
      await Promise.all([
        lock.isLocked(),
        lock.holdCount(hold.owner),
        lock.inspect(),
        lock.countWaitingClients(),
      ])
      expect(holdfast.census).toEqual(before)
      expect(await lock.holdCount(hold.owner)).toBe(1)
    })
  })
}

async function listed(holdfast: Holdfast, pattern?: string): Promise<LockState[]> {
  const states: LockState[] = []
  for await (const state of holdfast.list(pattern)) states.push(state)
  return states
}
