import { describe, expect, test } from 'vitest'
import { type Hold, type Lock, NotReentrantError } from '../../index.js'
import { given } from '../given.js'
import { untilIdle } from '../idle.js'
import { Latch } from '../latch.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { Room } from '../room.js'

/** Locks with `reentrant: false`: a section that asks for its own lock is refused, in place of waiting for itself. */
export function notReentrantCases(place: Place): void {
  const detaching = given(place, 'detaches')
  describe('a lock that is not reentrant', () => {
    const once = { reentrant: false } as const

    /** However that owner asks: the call is refused at once, and the hold is as it was. */
    async function expectRefused(lock: Lock, { owner }: Pick<Hold, 'owner'>): Promise<void> {
      const ways: Array<() => Promise<unknown>> = [
        () => lock.withLock(() => expect.unreachable()),
        () => lock.acquire(),
        () => lock.acquire({ owner, leaseMs: 60_000 }),
        () => lock.tryAcquire(),
        () => lock.tryAcquire({ waitMs: 60_000 }),
        () => lock.lock(),
        () => lock.tryLock(),
      ]
      for (const way of ways) {
        const error = await inTime(place, rejectionOf(way()))
        expect(error).toBeInstanceOf(NotReentrantError)
        expect(error).toMatchObject({ code: 'NOT_REENTRANT', lockName: lock.name, owner })
      }
      expect(await lock.holdCount(owner)).toBe(1)
    }

    test('refuses its own section, on every way in and however deep, and leaves the hold as it was', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName(), once)
      await lock.withLock((hold) => expectRefused(lock, hold))
      await holdfast.run(async () => {
        await lock.lock()
        await holdfast.run(() =>
          holdfast.lock(place.lockName()).withLock((hold) => expectRefused(lock, hold)),
        )
        await lock.unlock()
      })
      const hold = await lock.acquire()
      await hold.run(() => expectRefused(lock, hold))
      await hold.release()
      expect(await lock.isLocked()).toBe(false)
      await untilIdle(place, holdfast)
    })

    test('where two handles of one name disagree, each refuses to be nested in the other', async () => {
      const holdfast = place.holdfast()
      const single = holdfast.lock(place.lockName(), once)
      const plain = holdfast.lock(single.name)
      await single.withLock((hold) => expectRefused(plain, hold))
      await plain.withLock((hold) => expectRefused(single, hold))
      await plain.withLock(() => plain.withLock(async () => expect(await plain.holdCount()).toBe(2)))
    })

    test('whichever kinds of one lock the two calls are of, and whichever of the two has the option', async () => {
      const holdfast = place.holdfast()
      const name = place.lockName()
      const kinds = (['lock', 'fencedLock', 'fairLock'] as const).filter((each) =>
        place.traits.kinds.includes(each),
      )
      const plain = kinds.map((kind) => holdfast[kind](name))
      const single = kinds.map((kind) => holdfast[kind](name, once))
      const polled = place.traits.kinds.includes('spinLock') ? [holdfast.spinLock(name)] : []
      for (const [outer, inner] of [
        [plain, single],
        [single, [...plain, ...polled]],
      ] as const)
        for (const around of outer)
          for (const lock of inner)
            await around.withLock(async ({ owner }) => {
              for (const way of [() => lock.acquire(), () => lock.tryAcquire()])
                expect(await inTime(place, rejectionOf(way()))).toMatchObject({
                  code: 'NOT_REENTRANT',
                  owner,
                })
            })
      await untilIdle(place, holdfast)
    })

    test('an explicit owner is refused while it holds, and may take it again afterwards', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName(), once)
      const owner = holdfast.owner()
      for (let round = 0; round < 2; round += 1) {
        await using _hold = await lock.acquire({ owner })
        expect(await rejectionOf(lock.acquire({ owner }))).toBeInstanceOf(NotReentrantError)
        expect(await lock.tryAcquire()).toBeNull()
      }
      await untilIdle(place, holdfast)
    })

    test('siblings side by side take turns; two holds for one scope are one too many', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName(), once)
      const room = new Room()
      await holdfast.run(async () => {
        await Promise.all([1, 2, 3].map(() => lock.withLock(() => room.visit())))
        const [first, second] = await Promise.allSettled([lock.acquire(), lock.acquire()])
        expect(second).toMatchObject({ status: 'rejected', reason: { code: 'NOT_REENTRANT' } })
        if (first.status === 'fulfilled') await first.value.release()
      })
      expect(room).toMatchObject({ visits: 3, most: 1 })
      expect(await lock.isLocked()).toBe(false)
      await untilIdle(place, holdfast)
    })

    test('what outlives its section is not nested in it: it contends anew (rule O3)', async () => {
      const lock = place.holdfast().lock(place.lockName(), once)
      let late: Promise<Hold> | undefined
      const ended = new Latch()
      await lock.withLock(() => {
        late = ended.opened.then(() => lock.acquire())
      })
      ended.open()
      await using _hold = await inTime(place, late ?? expect.unreachable())
    })

    test('hand-overs and other clients have it like any other', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName(), once)
      const far = place.holdfast().lock(lock.name, once)
      const room = new Room()
      const sections = [lock, lock, far, lock, far].map((each) =>
        each.withLock(async (hold) => {
          await room.visit()
          expect(await rejectionOf(each.acquire())).toMatchObject({ owner: hold.owner })
        }),
      )
      await inTime(place, Promise.all(sections))
      expect(room).toMatchObject({ visits: 5, most: 1 })
    })

    test('in a multi-lock its refusal is that of all, and none of the others stays taken', async () => {
      const holdfast = place.holdfast()
      const name = place.lockName()
      const [single, other] = [holdfast.lock(`${name}:a`, once), holdfast.lock(`${name}:b`)]
      const both = holdfast.multiLock([single, other])
      await single.withLock(async () => {
        for (const way of [() => both.acquire(), () => both.tryAcquire()])
          expect(await inTime(place, rejectionOf(way()))).toMatchObject({
            code: 'NOT_REENTRANT',
            lockName: single.name,
          })
        await place.eventually(async () => !(await other.isLocked()))
      })
      await both.withLock(async () => {
        expect(await rejectionOf(single.acquire())).toBeInstanceOf(NotReentrantError)
        await other.withLock(() => undefined)
      })
      await untilIdle(place, holdfast)
    })

    test('a job of its name counts as a section', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName(), once)
      const outcome = await holdfast.job(lock.name, { atLeastMs: 0, atMostMs: 60_000 }, async () => {
        expect(await rejectionOf(lock.acquire({ waitMs: 60_000 }))).toBeInstanceOf(NotReentrantError)
      })
      expect(outcome.ran).toBe(true)
    })

    detaching('a hold that was adopted is the only one, and a section adopts no other', async () => {
      const [here, there] = [place.holdfast(), place.holdfast()]
      const lock = here.lock(place.lockName(), once)
      const ticket = await (await lock.acquire()).detach(600_000)
      const hold = await there.lock(lock.name, once).adopt(ticket)
      await hold.run(() => expectRefused(there.lock(lock.name, once), hold))
      await hold.release()
      await lock.withLock(async () => {
        expect(await rejectionOf(lock.adopt(ticket))).toBeInstanceOf(NotReentrantError)
        expect(await lock.holdCount()).toBe(1)
      })
    })
  })
}
