import { once } from 'node:events'
import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import {
  Holdfast,
  type HoldfastOptions,
  InvalidArgumentError,
  type Lock,
  LockLostError,
} from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { eventsOf } from '../fault/heard.js'
import { Scene } from '../fault/scene.js'
import { Forked } from '../redisson/forked.js'
import { sentinelClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { blockFor, blockUntil } from './busy.js'

/** Long enough that a thread which gets the processor late on a busy machine renews in time. */
const LEASE_MS = 2_100
/** Longer than a lease by so much that it takes more than one renewal to come through it. */
const BLOCKED_MS = 1.5 * LEASE_MS

let scene: Scene
let worker: Worker | undefined

function noteWorker(): void {
  process.once('worker', (born) => {
    worker = born
  })
}

/** Whether the hold says that it is held, as an application asks it. */
function isHeld(hold: { assertHeld(): void }): boolean {
  try {
    hold.assertHeld()
    return true
  } catch (error) {
    if (error instanceof LockLostError) return false
    throw error
  }
}

function threaded(options: HoldfastOptions = {}): Holdfast {
  noteWorker()
  return scene.holdfast({ watchdogMs: LEASE_MS, watchdogThread: true, ...options }, { proxied: false })
}

const renewal = (holdfast: Holdfast): Promise<unknown> =>
  new Promise((resolve) => holdfast.once('renewed', resolve))

describe.each([
  ['one server, ioredis-6', () => Scene.standalone('ioredis-6')],
  ['one server, ioredis-5', () => Scene.standalone('ioredis-5')],
  ['one server, iovalkey', () => Scene.standalone('iovalkey')],
  ['a cluster, ioredis-6', () => Scene.cluster('ioredis-6')],
  ['a cluster, ioredis-5', () => Scene.cluster('ioredis-5')],
])('watchdogThread: an event loop that is blocked (%s)', (_, make) => {
  beforeEach(async () => {
    scene = await make()
  })
  afterEach(() => scene.end())

  test('for longer than the lease costs no lock, nested or handed over', async () => {
    const holdfast = threaded()
    const heard = eventsOf(holdfast, ['lost', 'suspended', 'error'])
    const lock = holdfast.lock(scene.name)
    const first = await lock.acquire()
    const waiting = lock.acquire()
    await renewal(holdfast)
    blockFor(BLOCKED_MS)
    expect(isHeld(first)).toBe(true)
    expect(first.signal.aborted).toBe(false)
    expect(first.remainingMs()).toBeGreaterThan(0)
    await first.release()
    const second = await waiting
    blockFor(BLOCKED_MS)
    expect(isHeld(second)).toBe(true)
    expect(await lock.isLocked()).toBe(true)
    await second.release()
    expect(heard).toEqual([])
    await scene.nothingLeft()
  })

  test.each<[string, (holdfast: Holdfast) => Pick<Lock, 'acquire'>]>([
    ['readLock', (holdfast) => holdfast.readWriteLock(scene.name).readLock()],
    ['writeLock', (holdfast) => holdfast.readWriteLock(scene.name).writeLock()],
    ['fencedLock', (holdfast) => holdfast.fencedLock(scene.name)],
    ['fairLock', (holdfast) => holdfast.fairLock(scene.name)],
    ['spinLock', (holdfast) => holdfast.spinLock(scene.name)],
    ['semaphore', (holdfast) => holdfast.semaphore(scene.name, 2)],
    ['permitExpirableSemaphore', (holdfast) => holdfast.permitExpirableSemaphore(scene.name, 2)],
  ])('for longer than the lease costs nothing of any kind: %s', async (_kind, open) => {
    const holdfast = threaded()
    const heard = eventsOf(holdfast, ['lost', 'suspended', 'error'])
    const hold = await open(holdfast).acquire()
    await renewal(holdfast)
    blockFor(BLOCKED_MS)
    expect(isHeld(hold)).toBe(true)
    expect(hold.remainingMs()).toBeGreaterThan(0)
    await hold.release()
    expect(heard).toEqual([])
  })

  test('notices a lock that was forced open meanwhile at its first look', async () => {
    const holdfast = threaded()
    const hold = await holdfast.lock(scene.name).acquire()
    await renewal(holdfast)
    await scene.direct.del(scene.name)
    blockUntil(() => !isHeld(hold))
    expect(hold.signal.reason).toMatchObject({ reason: 'not-in-store' })
    await expect(hold.release()).rejects.toThrow(LockLostError)
    await scene.nothingLeft()
  })
})

describe('watchdogThread', () => {
  beforeEach(async () => {
    scene = await Scene.standalone()
  })
  afterEach(() => scene.end())

  test('another process sees the lock held all the while', async () => {
    const task = { ...inject('servers').standalone, name: scene.name }
    const observer = Forked.start(new URL('./observer.fixture.ts', import.meta.url), task)
    const holdfast = threaded()
    const hold = await holdfast.lock(scene.name).acquire()
    await Promise.all([renewal(holdfast), observer.told()])
    blockFor(BLOCKED_MS)
    observer.send('stop')
    const { looks, leastMs } = Object(await observer.told())
    expect(looks).toBeGreaterThan(1)
    expect(leastMs).toBeGreaterThan(0)
    await hold.release()
  })

  test('maxBlockedMs: blocked for longer the lock goes to the next, and the holder knows at its first look', async () => {
    const holdfast = threaded({ maxBlockedMs: LEASE_MS / 3 })
    const hold = await holdfast.lock(scene.name).acquire()
    await renewal(holdfast)
    blockUntil(() => !isHeld(hold))
    expect(hold.signal.reason).toMatchObject({ reason: 'lease-expired' })
    const next = await scene.holdfast().lock(scene.name).acquire()
    expect(isHeld(hold)).toBe(false)
    await next.release()
    await scene.nothingLeft()
  })

  test('L5: maxHoldMs holds in the thread too', async () => {
    const holdfast = threaded({ maxHoldMs: LEASE_MS })
    const hold = await holdfast.lock(scene.name).acquire()
    await renewal(holdfast)
    blockUntil(() => !isHeld(hold))
    await eventually(async () => (await scene.direct.exists(scene.name)) === 0)
    await scene.nothingLeft()
  })

  test('a thousand locks at once are renewed', async () => {
    // Long enough that a busy machine loses none of so many.
    const holdfast = threaded({ watchdogMs: 9_000 })
    const heard = eventsOf(holdfast, ['lost', 'suspended', 'error'])
    const names = Array.from({ length: 1_000 }, (_, index) => `${scene.name}:${index}`)
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
    await eventually(() => holdfast.metrics().renewals >= names.length)
    await Promise.all(holds.map((hold) => hold.release()))
    expect(heard).toEqual([])
  })

  test('a lock that lingers is renewed for lingerMs and no longer, also in the thread', async () => {
    const holdfast = threaded({ lingerMs: LEASE_MS })
    const lock = holdfast.lock(scene.name)
    await eventually(async () => {
      await lock.withLock(() => renewal(holdfast))
      return (await lock.inspect()).lingering
    })
    const { lingered } = holdfast.metrics()
    // The last renewal is within lingerMs, and good for one lease.
    blockFor(3 * LEASE_MS)
    await (await lock.acquire()).release()
    expect(holdfast.metrics().lingered).toBe(lingered)
  })

  test('a thread that dies is reported, costs no lock, and is replaced', async () => {
    const holdfast = threaded()
    const errors = journalOf(holdfast, 'error')
    const hold = await holdfast.lock(scene.name).acquire()
    await renewal(holdfast)
    const born = once(process, 'worker')
    await worker?.terminate()
    await eventually(() => errors.length === 1)
    expect(errors).toMatchObject([{ name: 'StoreError', command: 'watchdog thread' }])
    // The main thread renews until there is another.
    await renewal(holdfast)
    await born
    await renewal(holdfast)
    blockFor(BLOCKED_MS)
    expect(isHeld(hold)).toBe(true)
    await hold.release()
    await scene.nothingLeft()
  })

  test('a thread that dies with nothing to watch is replaced when it is needed; a sentinel’s group has one, too', async () => {
    noteWorker()
    const group = sentinelClient(inject('servers').sentinel)
    onTestFinished(() => group.disconnect())
    await using holdfast = new Holdfast(group, { watchdogMs: LEASE_MS, watchdogThread: true })
    // What the thread’s end is told by.
    holdfast.on('error', () => undefined)
    const lock = holdfast.lock(scene.name)
    await (await lock.acquire()).release()
    await worker?.terminate()
    await eventually(() => holdfast.metrics().held === 0)
    const hold = await lock.acquire()
    await renewal(holdfast)
    await renewal(holdfast)
    blockFor(BLOCKED_MS)
    expect(isHeld(hold)).toBe(true)
    await hold.release()
  })

  test('L4: renewals that fail are told as without a thread', async () => {
    // Between the first failure and the end of the lease there is time for a busy machine to connect anew.
    const holdfast = scene.holdfast({ watchdogMs: 4_500, watchdogThread: true, commandTimeoutMs: 700 })
    const heard = eventsOf(holdfast, ['suspended', 'lost'])
    const hold = await holdfast.lock(scene.name).acquire()
    await renewal(holdfast)
    scene.proxy.blackHole()
    await eventually(() => heard.includes('suspended'))
    scene.proxy.heal()
    await Promise.race([renewal(holdfast), eventually(() => heard.includes('lost'))])
    expect(heard).toEqual(['suspended'])
    expect(isHeld(hold)).toBe(true)
    await hold.release()
    await scene.nothingLeft()
  })

  test('a leased hold, or one that is handed back, is renewed by nobody', async () => {
    const holdfast = threaded()
    const lock = holdfast.lock(scene.name)
    await lock.withLock({ leaseMs: 500 }, () => lock.withLock(() => undefined))
    expect(holdfast.census.watched).toBe(0)
    const hold = await lock.acquire({ leaseMs: 300 })
    blockUntil(() => !isHeld(hold))
    await scene.nothingLeft()
  })

  test('close ends the thread; without a lock there never was one', async () => {
    const holdfast = threaded()
    worker = undefined
    await holdfast.close()
    expect(worker).toBeUndefined()
    const other = threaded()
    await (await other.lock(scene.name).acquire()).release()
    await other.close()
    expect(Object(worker).threadId).toBe(-1)
  })

  test('is refused where it cannot be: another store, client options that are code, an odd time', () => {
    expect(() => new Holdfast(new MemoryStore(), { watchdogThread: true })).toThrow(InvalidArgumentError)
    const { standalone } = inject('servers')
    const code = standaloneClient({ ...standalone, tls: { checkServerIdentity: () => undefined } })
    expect(() => new Holdfast(code, { watchdogThread: true })).toThrow(/checkServerIdentity is a function/)
    for (const each of [
      { watchdogThread: 'yes' },
      { watchdogThread: true, maxBlockedMs: 9_999 },
      { watchdogThread: true, maxBlockedMs: 10_000.5 },
      { maxBlockedMs: 60_000 },
    ]) {
      // @ts-expect-error one of them has the wrong type on purpose
      expect(() => new Holdfast(standaloneClient(standalone), each)).toThrow(InvalidArgumentError)
    }
  })
})
