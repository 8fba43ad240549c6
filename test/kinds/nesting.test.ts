/** Kinds nested in each other within one scope: who shares a key is a stranger to the others, who does not is none of their business. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { untilIdle } from '../../src/conformance/idle.js'
import { inTime, rejectionOf } from '../../src/conformance/outcome.js'
import { handleOf, kinds as permitsKinds } from '../../src/conformance/permits-handle.js'
import { type Holdfast, type Lock, LockTimeoutError, NotReentrantError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

/** The kinds that keep one hash of owners under the lock's name. */
const sharing = ['lock', 'fencedLock', 'fairLock', 'spinLock'] as const
const pairs = sharing.flatMap((outer) =>
  sharing.filter((inner) => inner !== outer).map((inner) => ({ outer, inner })),
)

describe.each(['memory-virtual-time', 'standalone', 'cluster'] as const)('nesting of kinds: %s', (where) => {
  const place = placeOf(where)
  let holdfast: Holdfast
  let name: string
  beforeEach(() => {
    holdfast = place.holdfast()
    name = place.lockName()
  })
  afterEach(() => place.tidy())

  /** Whether another process could take it now. */
  async function isFree(pick: (holdfast: Holdfast) => Lock): Promise<boolean> {
    const hold = await pick(place.holdfast()).tryAcquire()
    await hold?.release()
    return hold !== null
  }

  test('O1: each kind within each other, of other names: one owner, each held and freed by itself', async () => {
    const kinds: Lock[] = [
      holdfast.lock(`${name}:plain`),
      holdfast.fairLock(`${name}:fair`),
      holdfast.fencedLock(`${name}:fenced`),
      holdfast.readWriteLock(`${name}:write`).writeLock(),
      holdfast.readWriteLock(`${name}:read`).readLock(),
      holdfast.spinLock(`${name}:spin`),
    ]
    const owners = new Set<string>()
    const nest = async ([first, ...rest]: readonly Lock[]): Promise<void> => {
      if (!first) return
      await first.withLock(async (hold) => {
        owners.add(hold.owner)
        await nest(rest)
        expect(await first.isHeld()).toBe(true)
        // And once more: what was nested meanwhile does not stand in the way.
        await first.withLock(async () => expect(await first.holdCount()).toBe(2))
      })
      expect(await first.isLocked()).toBe(false)
    }
    await nest(kinds)
    await nest([...kinds].reverse())
    expect(owners.size).toBe(2)
    await untilIdle(place, holdfast)
  })

  test.each(pairs)('$inner within $outer of one name: strangers, whoever asks', async ({ outer, inner }) => {
    const [outside, inside] = [holdfast[outer](name), holdfast[inner](name)]
    await outside.withLock(async ({ owner }) => {
      expect(await inside.tryAcquire()).toBeNull()
      const waiting = rejectionOf(inside.acquire({ waitMs: 20 }))
      expect(await inTime(place, waiting)).toBeInstanceOf(LockTimeoutError)
      expect(await inside.tryAcquire({ owner })).toBeNull()
      expect(await outside.holdCount()).toBe(1)
      // The refusals have taken nothing from it.
      await outside.withLock(async () => expect(await outside.holdCount()).toBe(2))
      expect(await isFree((other) => other[outer](name))).toBe(false)
    })
    const hold = await inTime(place, inside.acquire())
    expect(await outside.tryAcquire({ owner: hold.owner })).toBeNull()
    await hold.release()
    expect(await outside.isLocked()).toBe(false)
    await untilIdle(place, holdfast)
  })

  test.each(pairs.filter(({ inner }) => inner !== 'spinLock'))(
    '$inner within $outer of one name, not reentrant: refused at once, in place of waiting for itself',
    async ({ outer, inner }) => {
      const inside = holdfast[inner](name, { reentrant: false })
      await holdfast[outer](name).withLock(async () => {
        for (const way of [() => inside.acquire(), () => inside.tryAcquire()])
          expect(await inTime(place, rejectionOf(way()))).toBeInstanceOf(NotReentrantError)
        const other = holdfast.lock(`${name}:other`)
        const both = holdfast.multiLock([inside, other])
        expect(await inTime(place, rejectionOf(both.acquire()))).toBeInstanceOf(NotReentrantError)
        await place.eventually(async () => !(await other.isLocked()))
      })
      await inside.withLock(() => undefined)
      await untilIdle(place, holdfast)
    },
  )

  test.each(pairs)(
    '$outer and $inner of one name, side by side in one scope: in turns',
    async ({ outer, inner }) => {
      // Who waits on a channel does not hear a spin lock's release, and looks when the lease it saw has ended.
      holdfast = place.holdfast({ watchdogMs: place.lease(1_200) })
      let [inside, most] = [0, 0]
      const visit = async (): Promise<void> => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      }
      const sections = holdfast.run(() =>
        Promise.all([outer, inner, outer, inner].map((kind) => holdfast[kind](name).withLock(visit))),
      )
      await inTime(place, sections)
      expect(most).toBe(1)
      await untilIdle(place, holdfast)
    },
  )

  test('a read within a write goes on when the write has ended, and lets readers in, and no writer', async () => {
    const both = holdfast.readWriteLock(name)
    await holdfast.run(async () => {
      const write = await both.writeLock().acquire()
      const read = await both.readLock().acquire()
      expect(read.owner).toBe(write.owner)
      expect(await isFree((other) => other.readWriteLock(name).readLock())).toBe(false)
      await write.release()
      read.assertHeld()
      expect(await isFree((other) => other.readWriteLock(name).readLock())).toBe(true)
      expect(await isFree((other) => other.readWriteLock(name).writeLock())).toBe(false)
      await read.release()
      expect(await isFree((other) => other.readWriteLock(name).writeLock())).toBe(true)
    })
  })

  test('a read-write lock shares nothing with the locks of its name', async () => {
    const write = holdfast.readWriteLock(name).writeLock()
    for (const kind of sharing) {
      const lock = holdfast[kind](name)
      await lock.withLock(({ owner }) => write.withLock((inner) => expect(inner.owner).toBe(owner)))
      await write.withLock(({ owner }) => lock.withLock((inner) => expect(inner.owner).toBe(owner)))
    }
  })

  test('permits within a lock, and the lock within them: the scope stays that of the lock', async () => {
    const lock = holdfast.lock(`${name}:lock`)
    for (const kind of permitsKinds) {
      const semaphore = handleOf(holdfast, kind, `${name}:${kind}`)
      await semaphore.trySetPermits(2)
      await lock.withLock(async ({ owner }) => {
        await semaphore.withPermits({ permits: 2 }, async (permits) => {
          expect(permits.owner).not.toBe(owner)
          expect(await lock.holdCount()).toBe(1)
          await lock.withLock((again) => expect(again.owner).toBe(owner))
          // Permits are counted, not re-entered.
          expect(await semaphore.tryAcquire()).toBeNull()
          expect(await semaphore.availablePermits()).toBe(0)
        })
        expect(await semaphore.availablePermits()).toBe(2)
        expect(await lock.isHeld()).toBe(true)
      })
    }
    await untilIdle(place, holdfast)
  })
})
