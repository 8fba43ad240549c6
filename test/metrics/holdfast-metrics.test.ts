/** The numbers of a client, as its calls make them: over a store in the process, and over a server. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { untilIdle, untilWaiting } from '../../src/conformance/idle.js'
import { scene } from '../../src/conformance/scene.js'
import {
  type HoldfastOptions,
  LockLostError,
  LockTimeoutError,
  TooManyWaitersError,
} from '../../src/index.js'
import { calls } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { later } from '../setup/later.js'
import { tidiedPlace } from '../setup/places.js'

describe.each(['memory', 'standalone', 'cluster'] as const)('metrics of a client (%s)', (placeName) => {
  const place = tidiedPlace(placeName)

  /** A client, its handle of a lock, and another's hold of that lock. */
  async function contended(options: HoldfastOptions = {}) {
    const { holdfast, lock } = scene(place, place.holdfast(options))
    const far = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
    const untilWaits = (): Promise<unknown> => place.eventually(() => holdfast.metrics().waiting === 1)
    return { holdfast, lock, far, untilWaits }
  }

  test('a hold is counted when granted and when given back; nested ones too', async () => {
    const { holdfast, lock } = scene(place)
    expect(holdfast.metrics()).toMatchObject({ acquired: 0, held: 0, waiting: 0 })
    await lock.withLock(async () => {
      expect(holdfast.metrics()).toMatchObject({ acquired: 1, held: 1, released: 0 })
      await lock.withLock(() => {
        expect(holdfast.metrics()).toMatchObject({ acquired: 2, held: 2, released: 0 })
      })
      expect(holdfast.metrics()).toMatchObject({ acquired: 2, held: 1, released: 1 })
    })
    expect(holdfast.metrics()).toMatchObject({
      acquired: 2,
      held: 0,
      released: 2,
      contended: 0,
      timedOut: 0,
      cancelled: 0,
      failed: 0,
      lost: { 'lease-expired': 0, 'not-in-store': 0, 'session-ended': 0 },
      handOvers: { inMemory: 0, byCommand: 0 },
      waitTime: { count: 2 },
      holdTime: { count: 2 },
    })
  })

  test('a wait counts once, while it lasts and for good; its length is recorded at the grant', async () => {
    const { holdfast, lock, far, untilWaits } = await contended()
    const wait = lock.acquire()
    await untilWaits()
    await untilWaiting(place, lock, 1)
    expect(holdfast.metrics()).toMatchObject({ contended: 1, acquired: 0, waitTime: { count: 0 } })
    const startedAt = performance.now()
    await place.pass(30)
    const passedMs = performance.now() - startedAt
    await far.release()
    const hold = await wait
    expect(holdfast.metrics()).toMatchObject({ contended: 1, waiting: 0, acquired: 1, held: 1 })
    const { waitTime } = holdfast.metrics()
    expect(waitTime.count).toBe(1)
    // The clocks are not the same: one of them adds what the wall clock skipped.
    expect(waitTime.minMs).toBeGreaterThanOrEqual(passedMs - 1)
    await hold.release()
  })

  test('a call whose time was up, and one that tried once, have timed out', async () => {
    const { holdfast, lock, far } = await contended()
    expect(await lock.tryAcquire()).toBeNull()
    expect(holdfast.metrics()).toMatchObject({ timedOut: 1, contended: 0 })
    await expect(lock.acquire({ waitMs: place.lease(1_350) })).rejects.toBeInstanceOf(LockTimeoutError)
    const timedOut = { timedOut: 2, contended: 1, waiting: 0, waitTime: { count: 0 } }
    expect(holdfast.metrics()).toMatchObject(timedOut)
    // For several locks it is one call, however many of them it asks for.
    expect(await holdfast.multiLock([lock, holdfast.lock(place.lockName())]).tryAcquire()).toBeNull()
    expect(holdfast.metrics()).toMatchObject({ timedOut: 3 })
    await far.release()
  })

  test('a call that was aborted, before or while it waited, or ended by close, was cancelled', async () => {
    const { holdfast, lock, far, untilWaits } = await contended()
    const reason = new Error('enough')
    await expect(lock.acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(holdfast.metrics()).toMatchObject({ cancelled: 1, contended: 0 })
    const controller = new AbortController()
    const aborted = later(expect(lock.acquire({ signal: controller.signal })).rejects.toBe(reason))
    await untilWaits()
    controller.abort(reason)
    await aborted
    const closed = later(expect(lock.acquire()).rejects.toMatchObject({ code: 'CLOSED' }))
    await untilWaits()
    await holdfast.close()
    await closed
    expect(holdfast.metrics()).toMatchObject({ cancelled: 3, contended: 2, waiting: 0, failed: 0 })
    await far.release()
  })

  test('a call that finds too many waiting has failed', async () => {
    const { holdfast, lock, far, untilWaits } = await contended({ maxWaiters: 1 })
    const wait = lock.acquire()
    await untilWaits()
    await expect(lock.acquire()).rejects.toBeInstanceOf(TooManyWaitersError)
    expect(holdfast.metrics()).toMatchObject({ failed: 1, contended: 1, waiting: 1 })
    await far.release()
    await (await wait).release()
  })

  test('a lock whose lease ran out is lost once, and all its holds end', async () => {
    const { holdfast, lock } = scene(place)
    const terms = { owner: holdfast.owner(), leaseMs: place.lease(1_200) }
    const holds = [await lock.acquire(terms), await lock.acquire(terms)]
    await place.eventually(() => holdfast.metrics().held === 0)
    for (const hold of holds) await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    const lost = { 'lease-expired': 1, 'not-in-store': 0, 'session-ended': 0 }
    expect(holdfast.metrics()).toMatchObject({ acquired: 2, released: 0, lost, holdTime: { count: 2 } })
  })

  test('a lock that was forced open is lost, as the store says', async () => {
    const holdfast = place.holdfast({ watchdogMs: place.lease(1_800) })
    const hold = await holdfast.lock(place.lockName()).acquire()
    await place.holdfast().lock(hold.name).forceUnlock()
    await place.eventually(() => hold.signal.aborted)
    const lost = { 'lease-expired': 0, 'not-in-store': 1, 'session-ended': 0 }
    expect(holdfast.metrics()).toMatchObject({ held: 0, lost, holdTime: { count: 1 } })
  })

  test('holds that stand when the client is closed stand no more', async () => {
    const holdfast = place.holdfast()
    await holdfast.lock(place.lockName()).acquire({ leaseMs: 60_000 })
    await holdfast.close()
    expect(holdfast.metrics()).toMatchObject({ held: 0, released: 0, holdTime: { count: 1 } })
  })

  test('each lease that is renewed is counted', async () => {
    const holdfast = place.holdfast({ watchdogMs: place.lease(1_800) })
    const holds = await Promise.all([1, 2].map(() => holdfast.lock(place.lockName()).acquire()))
    await place.eventually(() => holdfast.metrics().renewals >= 2)
    expect(holdfast.metrics()).toMatchObject({ renewalFailures: 0, held: 2 })
    await Promise.all(holds.map((hold) => hold.release()))
  })

  test.each([
    { how: 'inMemory', options: {}, handOvers: { inMemory: 3, byCommand: 0 } },
    { how: 'byCommand', options: { leaseMs: 60_000 }, handOvers: { inMemory: 0, byCommand: 3 } },
  ])('hand-overs among the waiters of a process are counted: $how', async ({ options, handOvers }) => {
    const { holdfast, lock } = scene(place, place.holdfast({ handOverSliceMs: 60_000 }))
    const hold = await lock.acquire(options)
    const others = [1, 2, 3].map(() => lock.withLock(options, () => undefined))
    await place.eventually(() => holdfast.metrics().waiting === 3)
    await hold.release()
    await Promise.all(others)
    expect(holdfast.metrics()).toMatchObject({ acquired: 4, released: 4, handOvers, waiting: 0, held: 0 })
  })

  test('whatever happened, what is counted adds up', async () => {
    const { holdfast, lock } = scene(place)
    const calls = Array.from({ length: 30 }, async (_, index) => {
      if (index % 3 === 0) return await lock.withLock(() => lock.withLock(() => true))
      return (await lock.tryAcquire({ waitMs: index % 3 === 1 ? 5 : 0 }))?.release()
    })
    await Promise.all(calls)
    await untilIdle(place, holdfast)
    const { acquired, released, held, waiting, timedOut, failed, waitTime, holdTime } = holdfast.metrics()
    expect({ held, waiting }).toEqual({ held: 0, waiting: 0 })
    expect([released, waitTime.count, holdTime.count]).toEqual([acquired, acquired, acquired])
    // Of each three calls the first makes two holds; each other makes one, or none where the machine was too busy.
    expect(acquired + timedOut + failed).toBe(40)
  })
})

describe('metrics of a client whose server does not answer', () => {
  test('renewals that fail are counted, and those that succeed later', async () => {
    const scene = await Scene.standalone()
    onTestFinished(() => scene.end())
    const holdfast = scene.holdfast({ watchdogMs: lasting(2_400) })
    const hold = await holdfast.lock(scene.name).acquire()
    await scene.dropReply(calls('renew'), 'break')
    await eventually(() => holdfast.metrics().renewalFailures > 0)
    await eventually(() => holdfast.metrics().renewals > 0)
    expect(holdfast.metrics()).toMatchObject({ held: 1, lost: { 'lease-expired': 0, 'not-in-store': 0 } })
    await hold.release()
  })
})
