import { describe, expect, test } from 'vitest'
import { type Hold, type Holdfast, type Lock, NoOwnerError } from '../../index.js'
import { Latch } from '../latch.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'
import { scene } from '../scene.js'

/** Who holds: rules O1, O2 and O4. */
export function ownersCases(place: Place): void {
  describe('owners', () => {
    test('O1: the owner is the explicit one, else the surrounding scope’s, else a new one', async () => {
      const holdfast = place.holdfast()
      const [first, second] = [holdfast.lock(place.lockName()), holdfast.lock(place.lockName())]
      const me = holdfast.owner()
      await using alone = await first.acquire()
      await using alsoAlone = await second.acquire()
      expect(alone.owner).not.toBe(alsoAlone.owner)
      await holdfast.run(async () => {
        await using scoped = await holdfast.lock(place.lockName()).acquire()
        await using alsoScoped = await holdfast.lock(place.lockName()).acquire()
        await using explicit = await holdfast.lock(place.lockName()).acquire({ owner: me })
        expect(alsoScoped.owner).toBe(scoped.owner)
        expect(scoped.owner).not.toBe(alone.owner)
        expect(explicit.owner).toBe(me)
      })
    })

    test('O1: an owner is a client id, made once for each client with its label, and a number', async () => {
      const [here, there] = [place.holdfast(), place.holdfast()]
      const [one, two, foreign] = [here.owner(), here.owner(), there.owner()]
      expect(one).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}~[^:]+:\d+$/)
      expect(two).not.toBe(one)
      expect(two.split(':')[0]).toBe(one.split(':')[0])
      expect(foreign.split(':')[0]).not.toBe(one.split(':')[0])
    })

    test('O1: two tasks outside any scope contend, two calls with one explicit owner re-enter', async () => {
      const { holdfast, lock } = scene(place)
      const me = holdfast.owner()
      await using outer = await lock.acquire({ owner: me })
      expect(await lock.tryAcquire()).toBeNull()
      await using inner = await lock.tryAcquire({ owner: me })
      expect(inner?.owner).toBe(outer.owner)
      expect(await lock.holdCount(me)).toBe(2)
    })

    test('O2: sections nest three deep, and the hold count goes up and down with them', async () => {
      const { lock, far } = scene(place)
      const counts: number[] = []
      const count = async (hold: Hold): Promise<void> => {
        const mine = await lock.holdCount()
        if (place.traits.namesHolder) expect(await far.holdCount(hold.owner)).toBe(place.visible(mine))
        counts.push(mine)
      }
      await lock.withLock(async (outer) => {
        await count(outer)
        await lock.withLock(async (middle) => {
          await count(middle)
          await lock.withLock(async (inner) => {
            await count(inner)
            expect([middle.owner, inner.owner]).toEqual([outer.owner, outer.owner])
          })
          await count(middle)
        })
        await count(outer)
        expect(await far.tryAcquire()).toBeNull()
      })
      expect(counts).toEqual([1, 2, 3, 2, 1])
      expect(await far.isLocked()).toBe(false)
    })

    test('O2: another handle of the name, and functions that bring scopes of their own, re-enter too', async () => {
      const holdfast = place.holdfast()
      const name = place.lockName()
      await holdfast.lock(name).withLock(async (outer) => {
        await holdfast.run(async () => {
          await holdfast.lock(name).lock()
          expect(await holdfast.lock(name).holdCount()).toBe(2)
          await using third = await holdfast.lock(name).acquire()
          expect(third.owner).toBe(outer.owner)
          await third.release()
          await holdfast.lock(name).unlock()
        })
        expect(await holdfast.lock(name).holdCount()).toBe(1)
      })
    })

    for (const [how, start] of Object.entries(waysToBeSiblings)) {
      test(`O2: siblings side by side share the owner but take turns (${how})`, async () => {
        const { holdfast, lock } = scene(place)
        const room = new Room()
        const owners = new Set<string>()
        const nestedCounts = new Set<number>()
        const body = async (hold: Hold): Promise<void> => {
          owners.add(hold.owner)
          nestedCounts.add(await lock.holdCount(hold.owner))
          // Each sibling re-enters below itself, while the others wait.
          await lock.withLock({ owner: hold.owner }, () => room.visit())
        }
        await start(holdfast, lock, body)
        expect(room).toMatchObject({ visits: 4, most: 1 })
        expect(owners.size).toBe(1)
        expect(nestedCounts.size).toBe(1)
        expect(await lock.isLocked()).toBe(false)
      })
    }

    test('O2: while a sibling’s section is open, trying is refused, and allowed again when it is over', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await lock.withLock(async () => {
        const [entered, leave] = [new Latch(), new Latch()]
        const sibling = lock.withLock(async () => {
          entered.open()
          await leave.opened
        })
        await entered.opened
        expect(await lock.tryAcquire()).toBeNull()
        leave.open()
        await sibling
        await using mine = await lock.tryAcquire()
        expect(mine).not.toBeNull()
      })
    })

    test('O4: after `await acquire()` neither the caller nor its siblings have an owner', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const takes = async (): Promise<Hold> => await lock.acquire()
      const sibling = async (): Promise<number> => {
        await new Promise((resolve) => setImmediate(resolve))
        return await lock.holdCount()
      }
      const [hold, seenBySibling] = await Promise.all([takes(), sibling()])
      expect([await lock.holdCount(), seenBySibling]).toEqual([0, 0])
      expect(await lock.isHeld()).toBe(false)
      expect(await lock.tryAcquire()).toBeNull()
      for (const call of [() => lock.lock(), () => lock.tryLock(), () => lock.unlock()]) {
        await expect(call()).rejects.toBeInstanceOf(NoOwnerError)
      }
      expect(await lock.holdCount(hold.owner)).toBe(1)
      await hold.release()
    })

    test('O4: beside and after withLock, run and hold.run the caller has no owner', async () => {
      const { holdfast, lock } = scene(place)
      const ways: Array<(body: () => Promise<void>) => Promise<void>> = [
        (body) => lock.withLock(body),
        (body) => holdfast.run(() => lock.lock().then(body)).finally(() => lock.forceUnlock()),
        async (body) => {
          await using hold = await lock.acquire()
          await hold.run(body)
        },
      ]
      for (const way of ways) {
        const [entered, leave] = [new Latch(), new Latch()]
        const section = way(async () => {
          entered.open()
          await leave.opened
        })
        await entered.opened
        expect(await lock.isLocked()).toBe(true)
        expect(await lock.holdCount()).toBe(0)
        leave.open()
        await section
        expect(await lock.holdCount()).toBe(0)
        await expect(lock.lock()).rejects.toBeInstanceOf(NoOwnerError)
      }
    })
  })
}

type Siblings = (holdfast: Holdfast, lock: Lock, body: (hold: Hold) => Promise<void>) => Promise<unknown>

const four = <Result>(start: () => Promise<Result>): Promise<Result[]> =>
  Promise.all([start(), start(), start(), start()])

const waysToBeSiblings: Readonly<Record<string, Siblings>> = {
  withLock: (_, lock, body) => lock.withLock(() => four(() => lock.withLock(body))),
  'explicit owner': (holdfast, lock, body) => {
    const owner = holdfast.owner()
    return lock.withLock({ owner }, () => four(() => lock.withLock({ owner }, body)))
  },
  'explicit owner outside a scope': async (holdfast, lock, body) => {
    const owner = holdfast.owner()
    await four(() => lock.withLock({ owner }, body))
  },
  'hold.run': async (_, lock, body) => {
    await using hold = await lock.acquire()
    await four(() => hold.run(() => lock.withLock(body)))
  },
  'nested run': (holdfast, lock, body) =>
    holdfast.run(() => lock.withLock(() => four(() => holdfast.run(() => lock.withLock(body))))),
  'run without an outer hold': (holdfast, lock, body) => holdfast.run(() => four(() => lock.withLock(body))),
}
