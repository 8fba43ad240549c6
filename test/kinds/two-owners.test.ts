/** A client that has lost a lock in the store without knowing, and is granted it for another owner, believes in one of them only. */
import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const sideOf = {
  lock: (holdfast: Holdfast, name: string): Lock => holdfast.lock(name),
  fair: (holdfast: Holdfast, name: string): Lock => holdfast.fairLock(name),
  fenced: (holdfast: Holdfast, name: string): Lock => holdfast.fencedLock(name),
  spin: (holdfast: Holdfast, name: string): Lock => holdfast.spinLock(name),
  read: (holdfast: Holdfast, name: string): Lock => holdfast.readWriteLock(name).readLock(),
  write: (holdfast: Holdfast, name: string): Lock => holdfast.readWriteLock(name).writeLock(),
}
/** Of one name these are one lock in the store. */
const alike = ['lock', 'fenced', 'fair', 'spin'] as const
const pairs = [
  ...alike.flatMap((lost) => alike.map((granted) => ({ lost, granted }))),
  { lost: 'write', granted: 'write' },
  { lost: 'write', granted: 'read' },
  { lost: 'read', granted: 'write' },
] as const

describe.each((['memory', 'standalone', 'cluster'] as const).map((name) => placeOf(name)))(
  'H28 ($name)',
  (place) => {
    afterEach(() => place.tidy())

    test.each(pairs)(
      '$lost lost, $granted granted to another owner of the client: told at once',
      async (pair) => {
        const [holdfast, other, name] = [place.holdfast(), place.holdfast(), place.lockName()]
        const first = await sideOf[pair.lost](holdfast, name).acquire()
        expect(await sideOf[pair.lost](other, name).forceUnlock()).toBe(true)
        const lost = new Promise((resolve) => holdfast.once('lost', resolve))
        const next = await sideOf[pair.granted](holdfast, name).acquire()
        expect(() => first.assertHeld()).toThrow(LockLostError)
        expect(first.signal.aborted).toBe(true)
        expect(await lost).toMatchObject({ name, owner: first.owner, reason: 'not-in-store' })
        next.assertHeld()
        await next.release()
        await expect(first.release()).rejects.toBeInstanceOf(LockLostError)
      },
    )

    test.each(alike)(
      'forced open as a %s by its own client, a lock of whatever kind is told as lost',
      async (kind) => {
        for (const other of alike) {
          const [holdfast, name] = [place.holdfast(), place.lockName()]
          const hold = await sideOf[other](holdfast, name).acquire()
          expect(await sideOf[kind](holdfast, name).forceUnlock()).toBe(true)
          expect(() => hold.assertHeld()).toThrow(LockLostError)
        }
      },
    )

    test('what stays true is not disproved: other readers, the read within a write, who is giving it back', async () => {
      const holdfast = place.holdfast()
      const problems = journalOf(holdfast, 'lost')
      const both = holdfast.readWriteLock(place.lockName())
      const [one, two] = [await both.readLock().acquire(), await both.readLock().acquire()]
      one.assertHeld()
      await Promise.all([one.release(), two.release()])
      await both.writeLock().withLock(async (writing) => {
        await both.readLock().withLock(async (reading) => {
          writing.assertHeld()
          reading.assertHeld()
        })
      })
      const fair = holdfast.fairLock(place.lockName())
      await Promise.all(Array.from({ length: 20 }, () => fair.withLock((hold) => hold.assertHeld())))
      await Promise.all(Array.from({ length: 20 }, () => both.writeLock().withLock((it) => it.assertHeld())))
      expect(problems).toEqual([])
    })
  },
)
