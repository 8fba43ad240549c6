import { afterEach, describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { inTime, rejectionOf } from '../../src/conformance/outcome.js'
import type { HoldfastOptions } from '../../src/index.js'
import type { Place } from '../setup/places.js'
import type { Contended, Held, Subject } from './subjects.js'

/** Longer than any test: what is free within a test was not under quarantine. */
const LONG_MS = 600_000
const QUARANTINE_MS = 200
const LEASE_MS = 40
const WATCHDOG_MS = 150

/** The quarantine of a lock that was lost (Chubby's lock-delay), for one kind in one place. */
export function quarantineCases(place: Place, subject: Subject): void {
  describe(`quarantine of a ${subject.kind}: ${place.name}`, () => {
    afterEach(() => place.tidy())

    function scene(options: HoldfastOptions) {
      const [holdfast, name] = [place.holdfast(options), place.lockName()]
      return { holdfast, name, holder: subject.holder(holdfast, name), lost: journalOf(holdfast, 'lost') }
    }

    function contender(name: string, options?: HoldfastOptions): Contended {
      return subject.contender(place.holdfast(options), name)
    }

    function remainingMs(name: string): Promise<number> {
      return subject.remainingMs(place.holdfast(), name)
    }

    /** Who waits gets it when that time is over, not before and not later. */
    async function expectKept(waiting: Promise<Held>, name: string, since: number, keptMs: number) {
      if (place.virtual) expect(await contender(name).tryAcquire()).toBeNull()
      const next = await inTime(place, waiting)
      const tookMs = place.now() - since
      // A server counts its milliseconds from another moment than this process does.
      expect(tookMs).toBeGreaterThan(keptMs - 2)
      // What comes on top on a server is the machine's.
      if (place.virtual) expect(tookMs).toBeLessThanOrEqual(keptMs + 10)
      await next.release()
    }

    test('L1: a release frees it at once, whether the hold had a lease or was renewed', async () => {
      const { holder, name } = scene({ quarantineMs: LONG_MS })
      for (const options of [{ leaseMs: 60_000 }, {}]) {
        // A quorum lets those that wait go first.
        const hold = await inTime(place, holder.acquire(options))
        const waiting = contender(name).acquire()
        expect(await contender(name).tryAcquire()).toBeNull()
        await hold.release()
        await (await inTime(place, waiting)).release()
      }
    })

    test('L3: the end of a lease that was asked for is a loss; the holder is told at the end of that', async () => {
      const { holder, name, lost } = scene({ quarantineMs: QUARANTINE_MS })
      const since = place.now()
      const hold = await holder.acquire({ leaseMs: LEASE_MS })
      expect(await remainingMs(name)).toBeLessThanOrEqual(LEASE_MS + QUARANTINE_MS)
      const { signal } = hold
      const waiting = contender(name).acquire()
      // A multi-lock may have lost members before it had all of them: that is another loss.
      await place.eventually(() => signal.aborted)
      expect(lost[0]).toMatchObject({ reason: 'lease-expired' })
      // Too late: it takes nothing from the quarantine.
      expect(await rejectionOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' })
      await expectKept(waiting, name, since, LEASE_MS + QUARANTINE_MS)
    })

    test('a holder that is gone: its lease and the quarantine keep others out, no longer', async () => {
      const { holdfast, holder, name } = scene({ quarantineMs: QUARANTINE_MS, watchdogMs: WATCHDOG_MS })
      const since = place.now()
      await holder.acquire()
      const waiting = contender(name).acquire()
      // As when its process ends: nothing is released, nothing renewed, and its connections are cut.
      await holdfast.close()
      await expectKept(waiting, name, since, WATCHDOG_MS + QUARANTINE_MS)
    })

    test('who waited has a quarantine as well', async () => {
      const { holder, name } = scene({})
      const hold = await holder.acquire()
      const waiting = subject.holder(place.holdfast({ quarantineMs: LONG_MS }), name).acquire()
      await hold.release()
      const next = await inTime(place, waiting)
      expect(await remainingMs(name)).toBeGreaterThan(LONG_MS / 2)
      await next.release()
      await (await inTime(place, contender(name).acquire())).release()
    })

    // Where a machine that stands still does not end the lease between two renewals.
    test.runIf(place.virtual)('renewals keep it, however long the lock is held', async () => {
      const { holdfast, holder, name, lost } = scene({ quarantineMs: QUARANTINE_MS, watchdogMs: WATCHDOG_MS })
      await holder.acquire()
      await place.pass(10 * QUARANTINE_MS)
      expect(lost).toEqual([])
      const left = await remainingMs(name)
      // The last renewal was at most a third of the lease ago.
      expect(left).toBeGreaterThanOrEqual((WATCHDOG_MS * 2) / 3 + QUARANTINE_MS)
      expect(left).toBeLessThanOrEqual(WATCHDOG_MS + QUARANTINE_MS)
      const since = place.now()
      await holdfast.close()
      await expectKept(contender(name).acquire(), name, since, left)
    })

    test.runIf(!subject.permits && !subject.beside)(
      'who lost it is kept out like everybody, and has a token of its own when it comes again',
      async () => {
        const { holdfast, holder, name } = scene({ quarantineMs: QUARANTINE_MS })
        const owner = holdfast.owner()
        const since = place.now()
        const { fence, signal } = await holder.acquire({ owner, leaseMs: LEASE_MS })
        await place.eventually(() => signal.aborted)
        if (place.virtual) expect(await holder.tryAcquire({ owner })).toBeNull()
        const again = await inTime(place, holder.acquire({ owner }))
        expect(place.now() - since).toBeGreaterThan(LEASE_MS + QUARANTINE_MS - 2)
        expect(again.owner).toBe(owner)
        if (fence !== undefined) expect(again.fence).toBeGreaterThan(fence)
        await again.release()
        await (await inTime(place, contender(name).acquire())).release()
      },
    )

    test.skipIf(subject.permits)('forced open it is free at once, before and after the loss', async () => {
      const { holder, holdfast, name } = scene({ quarantineMs: LONG_MS })
      await holder.acquire()
      await subject.forceUnlock(holdfast, name)
      // A multi-lock that loses a member while it acquires the others waits out that member's quarantine.
      const { signal } = await holder.acquire({ leaseMs: place.virtual ? LEASE_MS : 1_000 })
      await place.eventually(() => signal.aborted)
      const waiting = contender(name).acquire()
      expect(await contender(name).tryAcquire()).toBeNull()
      await subject.forceUnlock(place.holdfast(), name)
      await (await inTime(place, waiting)).release()
    })
  })
}
