import { describe, expect, test } from 'vitest'
import { given } from '../given.js'
import { journalOf } from '../journal.js'
import { inTime, rejectionOf } from '../outcome.js'
import type { Place } from '../place.js'
import { scene } from '../scene.js'

/** What a client tells its listeners, and what a bad listener can do to it: nothing. */
export function eventsCases(place: Place): void {
  const whereNamed = given(place, 'namesHolder')
  describe('events', () => {
    test('acquired and released count the holds up and down', async () => {
      const { lock, acquired, released } = scene(place)
      const owner = await lock.withLock((hold) => lock.withLock(() => hold.owner))
      const about = { name: lock.name, owner }
      const waitedMs = expect.any(Number)
      expect(acquired).toEqual([
        { ...about, holdCount: 1, waitedMs },
        { ...about, holdCount: 2, waitedMs },
      ])
      expect(released).toEqual([
        { ...about, holdCount: 1 },
        { ...about, holdCount: 0 },
      ])
    })

    whereNamed(
      'faults D2: every call that waits is told the holder, and names it when its time is up; in its own process, too',
      async () => {
        const { holdfast, lock } = scene(place)
        for (const client of [place.holdfast(), holdfast]) {
          await using hold = await client.lock(lock.name).acquire({ leaseMs: 60_000 })
          // This acquire may have waited for what a call of the round before has yet to give back.
          const told = journalOf(holdfast, 'waiting')
          // Once its connections are made.
          expect(await lock.isLocked()).toBe(true)
          const waitMs = place.lease(1_350)
          const waits = [1, 2, 3].map(() => inTime(place, rejectionOf(lock.acquire({ waitMs }))))
          for (const error of await Promise.all(waits)) {
            expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', holder: hold.owner })
            expect(String(error)).toContain('last seen held by')
          }
          const holders = told.filter(({ cause }) => cause === undefined).map(({ holder }) => holder)
          expect(holders).toEqual([hold.owner, hold.owner, hold.owner])
        }
      },
    )

    whereNamed(
      'waiting is emitted once for each call that waits, with the holder and its time left',
      async () => {
        const { holdfast, lock } = scene(place)
        const [told, acquired] = [journalOf(holdfast, 'waiting'), journalOf(holdfast, 'acquired')]
        const hold = await place.holdfast().lock(lock.name).acquire({ leaseMs: 60_000 })
        const owner = holdfast.owner()
        const waits = inTime(place, lock.acquire({ owner }))
        // A server that is slow to answer causes an event as well.
        const waiting = () => told.filter(({ cause }) => cause === undefined)
        await place.eventually(() => waiting().length > 0)
        expect(waiting()).toEqual([
          {
            name: lock.name,
            owner,
            holder: hold.owner,
            holderLabel: expect.any(String),
            heldSince: place.traits.tellsSince ? expect.any(Number) : undefined,
            remainingMs: expect.any(Number),
            cause: undefined,
          },
        ])
        expect(waiting()[0]?.remainingMs).toBeGreaterThan(40_000)
        expect(waiting()[0]?.remainingMs).toBeLessThanOrEqual(60_000)
        expect(acquired).toEqual([])
        await place.pass(30)
        await hold.release()
        await using _mine = await waits
        expect(acquired).toMatchObject([{ name: lock.name, owner, holdCount: 1 }])
        expect(acquired[0]?.waitedMs).toBeGreaterThanOrEqual(29)
        expect(waiting()).toHaveLength(1)
      },
    )

    test('L1: renewed tells the lock, the owner and the time left', async () => {
      const watchdogMs = 3_000
      const { lock, renewed } = scene(place, place.holdfast({ watchdogMs }))
      const hold = await lock.acquire()
      await place.eventually(() => renewed.length > 0)
      expect(renewed[0]).toEqual({ name: lock.name, owner: hold.owner, remainingMs: expect.any(Number) })
      expect(renewed[0]?.remainingMs).toBeGreaterThan(0)
      expect(renewed[0]?.remainingMs).toBeLessThan(watchdogMs)
      await hold.release()
    })

    test('L3: lost tells the lock, the owner, the reason and the cause', async () => {
      const { lock, lost } = scene(place)
      const hold = await lock.acquire({ leaseMs: place.lease(60) })
      await place.eventually(() => lost.length > 0)
      expect(lost).toEqual([
        { name: lock.name, owner: hold.owner, reason: 'lease-expired', cause: undefined, over: false },
      ])
    })

    test('a listener that throws breaks no lock; what it threw is emitted as `error`', async () => {
      const { holdfast, lock, errors } = scene(place, place.holdfast({ watchdogMs: 3_000 }))
      const thrower = (event: string) => () => {
        throw new Error(event)
      }
      for (const event of ['waiting', 'acquired', 'renewed', 'released', 'lost'] as const) {
        holdfast.on(event, thrower(event))
      }
      const renewed = journalOf(holdfast, 'renewed')
      const told = (event: string) => () => errors.some((error) => String(error).includes(event))
      const hold = await lock.acquire()
      expect(told('acquired')()).toBe(true)
      const waits = inTime(place, lock.acquire({ leaseMs: place.lease(60) }))
      await place.eventually(told('waiting'))
      await place.eventually(told('renewed'))
      expect(renewed).toEqual([])
      hold.assertHeld()
      await hold.release()
      expect(told('released')()).toBe(true)
      await waits
      await place.eventually(told('lost'))
      // The store’s own lease ends a little later than the holder thinks (L3).
      await place.eventually(async () => !(await lock.isLocked()))
    })

    test('with nobody listening to `error`, or an `error` listener that throws itself, nothing is thrown', async () => {
      for (const listen of [false, true]) {
        const { holdfast, lock } = scene(place)
        const throws = (): never => {
          throw new Error('listener')
        }
        holdfast.on('acquired', throws)
        if (listen) holdfast.on('error', throws)
        expect(await lock.withLock(() => 'done')).toBe('done')
        expect(await lock.isLocked()).toBe(false)
      }
    })

    test('listeners may use the lock themselves', async () => {
      const { holdfast, lock } = scene(place)
      const follow: Array<Promise<string>> = []
      holdfast.once('released', () => {
        follow.push(lock.withLock(() => 'after'))
      })
      await lock.withLock(() => undefined)
      expect(await Promise.all(follow)).toEqual(['after'])
    })
  })
}
