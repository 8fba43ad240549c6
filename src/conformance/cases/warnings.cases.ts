import { describe, expect, test } from 'vitest'
import { untilIdle } from '../idle.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** What is likely a mistake in the program is told by a `warning`. */
export function warningsCases(place: Place): void {
  describe('warnings', () => {
    test('LONG_LOCAL_WAIT: a long wait for a lock of the own process is told, with both stacks', async () => {
      const { holdfast, lock, warnings } = scene(
        place,
        place.holdfast({ warnAfterMs: 60, diagnostics: true }),
      )
      const [me, other] = [holdfast.owner(), holdfast.owner()]
      const takesIt = async () => await lock.acquire({ owner: me })
      const waitsForIt = async () => await lock.acquire({ owner: other })
      const hold = await takesIt()
      const waiting = waitsForIt()
      await place.eventually(() => warnings.length > 0)
      expect(warnings).toEqual([
        {
          code: 'LONG_LOCAL_WAIT',
          name: lock.name,
          owner: other,
          holder: me,
          message: expect.stringContaining(lock.name),
          waitedMs: expect.any(Number),
          waiterStack: expect.stringContaining('waitsForIt'),
          holderStack: expect.stringContaining('takesIt'),
        },
      ])
      expect(warnings[0]?.waitedMs).toBeGreaterThanOrEqual(59)
      await hold.release()
      await (await waiting).release()
      expect(warnings).toHaveLength(1)
    })

    test('LONG_LOCAL_WAIT: without diagnostics there are no stacks, but the warning all the same', async () => {
      const { lock, warnings } = scene(place, place.holdfast({ warnAfterMs: 40 }))
      await using hold = await lock.acquire()
      const abort = new AbortController()
      const selfMade = rejectionOf(lock.acquire({ signal: abort.signal }))
      await place.eventually(() => warnings.length > 0)
      abort.abort()
      await selfMade
      expect(warnings).toMatchObject([
        { code: 'LONG_LOCAL_WAIT', holder: hold.owner, waiterStack: undefined, holderStack: undefined },
      ])
    })

    test('LONG_LOCAL_WAIT: a wait for another process, or one that ends in time, is not told', async () => {
      const holdfast = place.holdfast({ warnAfterMs: 300 })
      const [far, near] = [holdfast.lock(place.lockName()), holdfast.lock(place.lockName())]
      const warnings = journalOf(holdfast, 'warning')
      await using _theirs = await place.holdfast().lock(far.name).acquire()
      await using _ours = await near.acquire()
      const waits = [rejectionOf(far.acquire({ waitMs: 400 })), rejectionOf(near.acquire({ waitMs: 20 }))]
      await inTime(place, Promise.all(waits))
      expect(warnings).toEqual([])
    })

    test('LEFT_LOCKED: a run that ends without its unlock is told, and the lock ends with its lease', async () => {
      const watchdogMs = place.lease(900)
      const { holdfast, lock, acquired, warnings } = scene(place, place.holdfast({ watchdogMs }))
      const from = place.now()
      await holdfast.run(async () => {
        await lock.lock()
        await holdfast.run(() => undefined)
        expect(warnings).toEqual([])
      })
      expect(acquired).toHaveLength(1)
      const owner = acquired[0]?.owner
      expect(warnings).toMatchObject([{ code: 'LEFT_LOCKED', name: lock.name, owner, holder: owner }])
      expect(warnings[0]?.message).toContain('unlock()')
      await (await inTime(place, place.holdfast().lock(lock.name).acquire())).release()
      expect(place.now() - from).toBeGreaterThan(watchdogMs / 2)
      await untilIdle(place, holdfast)
    })

    test('LEFT_LOCKED: what was unlocked, or taken otherwise, is not told', async () => {
      const holdfast = place.holdfast()
      const [first, second] = [holdfast.lock(place.lockName()), holdfast.lock(place.lockName())]
      const warnings = journalOf(holdfast, 'warning')
      await using hold = await holdfast.run(async () => {
        await first.lock()
        await first.unlock()
        return await second.acquire()
      })
      expect(warnings).toEqual([])
      hold.assertHeld()
    })
  })
}
