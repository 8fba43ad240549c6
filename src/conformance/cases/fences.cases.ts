import { describe, expect, test } from 'vitest'
import type { Hold, Lock } from '../../index.js'
import { untilWaiting } from '../idle.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'

/** Tokens of a fenced lock: each tenure has one, greater than every one before it, whatever ended the tenure before. */
export function fencesCases(place: Place): void {
  describe('tokens', () => {
    /** Takes the lock again and again; each token must be greater than the last. */
    class Rising {
      #last = 0n

      take({ fence }: Pick<Hold, 'fence'>): void {
        expect(fence).toBeGreaterThan(this.#last)
        this.#last = fence ?? 0n
      }
    }

    test('grow from section to section, handed over in the process or not, with a lease or under the watchdog', async () => {
      const name = place.lockName()
      const clients = [
        place.holdfast(),
        place.holdfast({ maxHandOvers: 3 }),
        place.holdfast({ maxHandOvers: 0 }),
      ]
      const rising = new Rising()
      let sections = 0
      const work = Array.from({ length: 30 }, async (_, index) => {
        const options = index % 4 === 0 ? { leaseMs: 20_000 } : {}
        await clients[index % clients.length]?.fencedLock(name).withLock(options, async (hold) => {
          rising.take(hold)
          hold.assertHeld()
          sections += 1
        })
      })
      await place.eventually(() => sections === work.length)
      await Promise.all(work)
      for (const client of clients) expect(client.metrics().handOvers.inMemory).toBe(0)
    })

    test('S10: grow when the lock was forced open, when its lease ended, and when it was left free', async () => {
      const name = place.lockName()
      const lockOfAnother = (): Lock => place.holdfast().fencedLock(name)
      const [forced, one, other] = [lockOfAnother(), lockOfAnother(), lockOfAnother()]
      const rising = new Rising()
      rising.take(await forced.acquire())
      expect(await other.forceUnlock()).toBe(true)
      rising.take(await other.acquire({ leaseMs: place.lease(100) }))
      const third = await inTime(place, one.acquire())
      rising.take(third)
      await third.release()
      await place.pass(50)
      for (const lock of [other, one]) await lock.withLock((hold) => rising.take(hold))
    })

    test('S10: grow when a lock without tokens was taken in between', async () => {
      const [one, other] = [place.holdfast(), place.holdfast()]
      const lock = one.fencedLock(place.lockName())
      const rising = new Rising()
      await lock.withLock((hold) => rising.take(hold))
      await lock.withLock((hold) => rising.take(hold))
      if (place.traits.kinds.includes('fairLock')) await other.fairLock(lock.name).withLock(() => undefined)
      await other.fencedLock(lock.name).withLock((hold) => rising.take(hold))
    })

    test('a grant to a waiter has a greater one, and an attempt in vain takes none away', async () => {
      const name = place.lockName()
      const [one, other] = [place.holdfast().fencedLock(name), place.holdfast().fencedLock(name)]
      const rising = new Rising()
      const first = await one.acquire()
      rising.take(first)
      expect(await other.tryAcquire()).toBeNull()
      const abort = new AbortController()
      const gone = rejectionOf(place.holdfast().fencedLock(name).acquire({ signal: abort.signal }))
      const waiting = other.acquire()
      await untilWaiting(place, one, 2)
      abort.abort()
      await gone
      await first.release()
      await using second = await waiting
      rising.take(second)
    })

    test('nested sections have the token of their tenure', async () => {
      const lock = place.holdfast().fencedLock(place.lockName())
      await lock.withLock(async ({ fence }) => {
        expect(fence).toBeTypeOf('bigint')
        await lock.withLock(async (inner) => {
          expect(inner.fence).toBe(fence)
          await lock.withLock({ leaseMs: 20_000 }, (innermost) => expect(innermost.fence).toBe(fence))
        })
      })
    })

    test('siblings take turns under a token each', async () => {
      const holdfast = place.holdfast()
      const lock = holdfast.fencedLock(place.lockName())
      const rising = new Rising()
      await holdfast.run(() => Promise.all([1, 2, 3].map(() => lock.withLock((hold) => rising.take(hold)))))
    })

    test('a sequencer is good while its tenure lasts, and no longer', async () => {
      const [holdfast, far] = [place.holdfast(), place.holdfast()]
      const lock = holdfast.fencedLock(place.lockName())
      const hold = await lock.acquire()
      const text = hold.sequencer()
      expect(await far.checkSequencer(text)).toMatchObject({ name: lock.name })
      await hold.release()
      expect(await rejectionOf(far.checkSequencer(text))).toMatchObject({ code: 'SEQUENCER_STALE' })
      await lock.withLock(async () => {
        expect(await rejectionOf(far.checkSequencer(text))).toMatchObject({ code: 'SEQUENCER_STALE' })
      })
    })
  })
}
