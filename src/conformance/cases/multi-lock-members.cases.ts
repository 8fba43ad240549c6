import process from 'node:process'
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, InvalidArgumentError, type Lock, NoOwnerError, NotOwnerError } from '../../index.js'
import type { StoreKind } from '../../port/store-traits.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'
import { held, orderOf, several } from '../several.js'

/** A multi-lock, wherever its locks are kept. */
export function multiLockMembersCases(place: Place): void {
  afterEach(() => place.tidy())

  describe(`multi-lock, members: ${place.name}`, () => {
    test('lock and unlock: in the shape of Redisson, each of the locks once', async () => {
      const { holdfast, locks, multi } = several(place, 2)
      await expect(multi.lock()).rejects.toBeInstanceOf(NoOwnerError)
      await holdfast.run(async () => {
        await multi.lock()
        expect(await multi.tryLock()).toBe(true)
        expect(await multi.isHeld()).toBe(true)
        await multi.unlock()
        await locks[0]?.unlock()
        // One of them is no longer there to be unlocked: then the other is not either.
        await expect(multi.unlock()).rejects.toBeInstanceOf(NotOwnerError)
        expect(await held(locks)).toEqual([false, true])
        await locks[1]?.unlock()
      })
      expect(await multi.isLocked()).toBe(false)
      const [one, other] = [holdfast.owner(), holdfast.owner()]
      await multi.lock({ owner: one })
      expect([await multi.isHeld(one), await multi.isHeld(other)]).toEqual([true, false])
      expect(await multi.tryLock({ owner: other })).toBe(false)
      await expect(multi.unlock({ owner: other })).rejects.toBeInstanceOf(NotOwnerError)
      expect(await held(locks)).toEqual([true, true])
      await multi.unlock({ owner: one })
      expect(await multi.isLocked()).toBe(false)
    })

    const ofManyKinds = given(place, 'fencedLock', 'fairLock', 'readWriteLock', 'spinLock')
    ofManyKinds('members of several kinds: each by its own rules, all or none', async () => {
      const [holdfast, other] = [place.holdfast(), place.holdfast()]
      const [plain = '', more = '', fenced = '', fair = '', both = '', spin = ''] = several(
        place,
        6,
        holdfast,
      ).locks.map(({ name }) => name)
      const membersOf = (client: typeof holdfast): Lock[] => [
        client.lock(plain),
        client.spinLock(spin, { longestPauseMs: 20 }),
        client.fairLock(fair),
        client.readWriteLock(both).writeLock(),
        client.fencedLock(fenced),
        client.lock(more),
      ]
      const members = membersOf(holdfast)
      await holdfast.multiLock(members).withLock(async (hold) => {
        hold.assertHeld()
        expect(hold.holds[4]?.fence).toBeTypeOf('bigint')
        for (const member of membersOf(other)) expect(await member.tryAcquire()).toBeNull()
        await members[2]?.withLock(() => undefined)
      })
      for (const [index, member] of membersOf(other).entries()) {
        const blocking = await member.acquire({ leaseMs: 600_000 })
        const waiting = holdfast.multiLock([...members].reverse()).acquire()
        expect(await holdfast.multiLock(members).tryAcquire(), `member ${index}`).toBeNull()
        await blocking.release()
        await using hold = await inTime(place, waiting)
        hold.assertHeld()
      }
      await untilIdle(place, holdfast)
      expect(await held(members)).toEqual(members.map(() => false))
    })

    test('bad input: a typed error, and nothing sent', async () => {
      const { holdfast, lock } = scene(place)
      const bad: unknown[] = [
        [],
        undefined,
        lock,
        [lock, lock],
        [lock, holdfast.lock(lock.name)],
        [lock, place.holdfast().lock(lock.name)],
      ]
      for (const locks of [...bad, [lock, 'a'], [null], [{ name: 'a' }]]) {
        expect(() => Reflect.apply(holdfast.multiLock, holdfast, [locks])).toThrow(InvalidArgumentError)
      }
      await expect(holdfast.multiLock([lock]).acquire({ waitMs: -1 })).rejects.toBeInstanceOf(
        InvalidArgumentError,
      )
      await expect(
        Reflect.apply(holdfast.multiLock([lock]).withLock, holdfast.multiLock([lock]), [{}]),
      ).rejects.toBeInstanceOf(InvalidArgumentError)
    })

    test('a hundred at once', async () => {
      const { holdfast, multi } = several(place, 100)
      const warned: Error[] = []
      const warn = (warning: Error): void => {
        warned.push(warning)
      }
      process.on('warning', warn)
      const { signal } = new AbortController()
      await multi.withLock({ signal }, (hold) => {
        hold.assertHeld()
        expect(holdfast.census.tenures).toBe(100)
      })
      await untilIdle(place, holdfast)
      process.off('warning', warn)
      expect(warned).toEqual([])
    })

    test('close: the wait ends, and what it has got is given back', async () => {
      const { holdfast, locks, multi } = several(place, 2)
      const other = place.holdfast()
      const [first, last] = orderOf(place, locks).map(({ name }) => other.lock(name))
      if (!first || !last) throw new Error('two locks')
      await using _blocker = await last.acquire({ leaseMs: 600_000 })
      const waiting = rejectionOf(multi.acquire())
      await place.eventually(() => first.isLocked())
      await holdfast.close()
      expect(await waiting).toMatchObject({ code: 'CLOSED' })
      await place.eventually(async () => !(await first.isLocked()))
    })

    for (const [needed, kind, blocked] of otherKinds) {
      given(place, needed)(
        `close: what it has got is given back while a member of another kind is waited for (${kind})`,
        async () => {
          const holdfast = place.holdfast()
          const errors: unknown[] = []
          holdfast.on('error', (error) => errors.push(error))
          const [first, second] = orderOf(place, several(place, 2, holdfast).locks)
          if (!first || !second) throw new Error('two locks')
          const other = place.holdfast()
          await using _blocker = await blocked(other, second.name).acquire({ leaseMs: 600_000 })
          const waiting = rejectionOf(holdfast.multiLock([first, blocked(holdfast, second.name)]).acquire())
          const isTaken = (): Promise<boolean> => other.lock(first.name).isLocked()
          await place.eventually(isTaken)
          await holdfast.close()
          expect(await waiting).toMatchObject({ code: 'CLOSED' })
          expect(await isTaken()).toBe(false)
          expect(errors).toEqual([])
        },
      )
    }
  })
}

/** Locks that are looked after apart from plain ones. */
const otherKinds: ReadonlyArray<readonly [StoreKind, string, (holdfast: Holdfast, name: string) => Lock]> = [
  ['fairLock', 'fair', (holdfast, name) => holdfast.fairLock(name)],
  ['readWriteLock', 'write', (holdfast, name) => holdfast.readWriteLock(name).writeLock()],
  ['fencedLock', 'fenced', (holdfast, name) => holdfast.fencedLock(name)],
]
