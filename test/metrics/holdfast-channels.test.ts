/** What listeners of `node:diagnostics_channel` are told of a client's calls, holds and releases. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { scene } from '../../src/conformance/scene.js'
import { ClosedError, LockLostError, LockTimeoutError } from '../../src/index.js'
import type { AcquireTrace } from '../../src/observe/trace/acquire.js'
import type { HoldTrace } from '../../src/observe/trace/hold.js'
import type { ReleaseTrace } from '../../src/observe/trace/release.js'
import { Program } from '../examples/program.js'
import { later } from '../setup/later.js'
import { tidiedPlace } from '../setup/places.js'
import { programOf } from '../setup/programs.js'
import { Listener } from './told.js'

/** Listens, until the test is over, to all that is told of one lock. */
function listenTo(name: string) {
  const mine = (trace: { name: string }): boolean => trace.name === name
  const acquires = new Listener<AcquireTrace>('holdfast:acquire', mine)
  const holds = new Listener<HoldTrace>('holdfast:hold', mine)
  const releases = new Listener<ReleaseTrace>('holdfast:release', mine)
  onTestFinished(() => {
    for (const listener of [acquires, holds, releases]) listener[Symbol.dispose]()
  })
  return { acquires, holds, releases }
}

const ALL = ['start', 'end', 'asyncStart', 'asyncEnd']
const ALL_WITH_ERROR = ['start', 'end', 'error', 'asyncStart', 'asyncEnd']

describe.each(['memory', 'standalone'] as const)('channels (%s)', (placeName) => {
  const place = tidiedPlace(placeName)

  test('a section is told as an acquire, a hold and a release, each with one object', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const { acquires, holds, releases } = listenTo(lock.name)
    const owner = await lock.withLock((hold) => {
      expect(acquires.events).toEqual(ALL)
      expect(holds.events).toEqual(['start'])
      expect(releases.events).toEqual([])
      return hold.owner
    })
    const about = { name: lock.name, kind: 'lock', owner, handedOver: false, error: undefined }
    const ms = expect.any(Number)
    expect(acquires.of('asyncEnd')).toEqual([{ ...about, outcome: 'granted', holdCount: 1, waitedMs: ms }])
    expect(holds.of('asyncEnd')).toEqual([{ ...about, holdCount: 1, waitedMs: ms, heldMs: ms }])
    const [{ trace: hold } = {}] = holds.told
    expect(releases.of('asyncEnd')).toEqual([{ ...about, holdCount: 0, heldMs: ms, hold }])
    for (const { events, told } of [acquires, holds, releases]) {
      expect(events).toEqual(ALL)
      expect(new Set(told.map(({ trace }) => trace)).size).toBe(1)
    }
  })

  test('acquire, tryAcquire, lock and tryLock are told as sections are; nested holds one by one', async () => {
    const { holdfast, lock } = scene(place)
    const { acquires, holds, releases } = listenTo(lock.name)
    const owner = holdfast.owner()
    const hold = await lock.acquire({ owner })
    const again = await lock.tryAcquire({ owner })
    await lock.lock({ owner })
    await lock.tryLock({ owner })
    expect(holds.of('start').map(({ holdCount }) => holdCount)).toEqual([1, 2, 3, 4])
    expect(holds.of('asyncEnd')).toEqual([])
    await lock.unlock({ owner })
    await lock.unlock({ owner })
    await again?.release()
    await hold.release()
    expect(acquires.of('asyncEnd').map(({ holdCount }) => holdCount)).toEqual([1, 2, 3, 4])
    expect(holds.of('asyncEnd').map(({ holdCount }) => holdCount)).toEqual([4, 3, 2, 1])
    expect(releases.of('asyncEnd').map(({ holdCount }) => holdCount)).toEqual([3, 2, 1, 0])
  })

  test('a refusal is an outcome; an abort and a close are told as errors too', async () => {
    const { holdfast, lock } = scene(place)
    const far = await place.holdfast().lock(lock.name).acquire({ leaseMs: 600_000 })
    const { acquires, holds } = listenTo(lock.name)
    expect(await lock.tryAcquire()).toBeNull()
    const waitMs = place.lease(900)
    await expect(lock.acquire({ waitMs })).rejects.toBeInstanceOf(LockTimeoutError)
    const reason = new Error('enough')
    await expect(lock.acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const closed = later(expect(lock.acquire()).rejects.toBeInstanceOf(ClosedError))
    await untilWaiting(place, lock, 1)
    await holdfast.close()
    await closed
    expect(acquires.of('asyncEnd')).toMatchObject([
      { outcome: 'timeout', error: undefined },
      { outcome: 'timeout', error: undefined },
      { outcome: 'cancelled', error: reason },
      { outcome: 'cancelled', error: expect.any(ClosedError) },
    ])
    expect(acquires.of('asyncEnd')[1]?.waitedMs).toBeGreaterThanOrEqual(waitMs - 1)
    expect(acquires.of('error')).toHaveLength(2)
    expect(holds.told).toEqual([])
    await far.release()
  })

  test('a hold whose lock is lost ends with the loss; its release is told as an error', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const { holds, releases } = listenTo(lock.name)
    const hold = await lock.acquire({ leaseMs: place.lease(200) })
    await place.eventually(() => hold.signal.aborted)
    expect(holds.events).toEqual(ALL_WITH_ERROR)
    expect(holds.of('error')).toMatchObject([{ error: hold.signal.reason, heldMs: expect.any(Number) }])
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    expect(releases.events).toEqual(ALL_WITH_ERROR)
    expect(holds.events).toEqual(ALL_WITH_ERROR)
  })

  test('a hold that stands when the client is closed ends with that', async () => {
    const { holdfast, lock } = scene(place)
    const { holds } = listenTo(lock.name)
    await lock.acquire({ leaseMs: 60_000 })
    await holdfast.close()
    expect(holds.of('asyncEnd')).toMatchObject([{ error: expect.any(ClosedError) }])
  })

  test('a hold that was handed over says so, and so does the release that did it', async () => {
    const { holdfast, lock } = scene(place, place.holdfast({ handOverSliceMs: 60_000 }))
    const { acquires, holds, releases } = listenTo(lock.name)
    const hold = await lock.acquire()
    const from = hold.owner
    const second = lock.withLock((hold) => hold.owner)
    await place.eventually(() => holdfast.metrics().waiting === 1)
    await hold.release()
    const to = await second
    for (const told of [acquires.of('asyncEnd'), holds.of('asyncEnd')]) {
      expect(told.find(({ owner }) => owner === from)).toMatchObject({ handedOver: false })
      expect(told.find(({ owner }) => owner === to)).toMatchObject({ handedOver: true })
    }
    const released = releases.of('asyncEnd')
    expect(released.find(({ owner }) => owner === from)).toMatchObject({ handedOver: true, holdCount: 0 })
    expect(released.find(({ owner }) => owner === to)).toMatchObject({ handedOver: false, holdCount: 0 })
  })

  test('what a listener binds to the hold is there in the section, and nowhere else', async () => {
    const lock = place.holdfast().lock(place.lockName())
    const spans = new AsyncLocalStorage<string>()
    const { start } = tracingChannel<string, HoldTrace>('holdfast:hold')
    start.bindStore(spans, ({ name }) => `span of ${name}`)
    onTestFinished(() => void start.unbindStore(spans))
    const seen = await lock.withLock(async () => {
      await lock.isLocked()
      return spans.getStore()
    })
    expect(seen).toBe(`span of ${lock.name}`)
    expect(spans.getStore()).toBeUndefined()
  })
})

test('a listener that throws breaks no lock: what it threw is an uncaught exception of the process', async () => {
  const program = new Program(programOf(new URL('./throwing-listener.fixture.ts', import.meta.url)))
  const { code, stdout, stderr } = await program.endWithin(15_000)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [result, locked, uncaught] = stdout.split('\n')
  expect([result, locked]).toEqual(['done', 'false'])
  expect(Number(uncaught)).toBe(12)
})
