import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Holdfast, type Lock, LockTimeoutError, StoreError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { Scene } from './scene.js'

/** The lease of what is to be undone: whoever waits for the undoing waits about that long. */
const LEASE_MS = 60_000
/** Less than that by far, and more than any call here takes, also on a busy machine. */
const SOON_MS = 6_000

const SETTINGS = { commandTimeoutMs: 300, storeTimeoutMs: 1_000 }

const kinds: ReadonlyArray<readonly [string, (holdfast: Holdfast, name: string) => Lock]> = [
  ['lock', (holdfast, name) => holdfast.lock(name)],
  ['fencedLock', (holdfast, name) => holdfast.fencedLock(name)],
  ['fairLock', (holdfast, name) => holdfast.fairLock(name)],
  ['writeLock', (holdfast, name) => holdfast.readWriteLock(name).writeLock()],
  ['readLock', (holdfast, name) => holdfast.readWriteLock(name).readLock()],
]

describe.each(kinds)('a request whose outcome is unknown (%s)', (_kind, lockOf) => {
  let scene: Scene
  let holdfast: Holdfast
  let lock: Lock

  beforeEach(async () => {
    scene = await Scene.standalone()
    holdfast = scene.holdfast(SETTINGS)
    lock = lockOf(holdfast, scene.name)
    // A busy machine may need longer for the first command, and the connection it opens, than there is for one.
    await eventually(() =>
      lock.isLocked().then(
        () => true,
        () => false,
      ),
    )
  })
  afterEach(() => scene.end())

  async function inTime(work: Promise<unknown>): Promise<unknown> {
    const startedAt = performance.now()
    const end = await work.catch((error: unknown) => error)
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS)
    return end
  }

  test('H3: the owner’s next call does not wait until it is undone', async () => {
    const owner = holdfast.owner()
    scene.proxy.blackHole()
    const first = await inTime(lock.acquire({ owner, leaseMs: LEASE_MS, waitMs: 200 }))
    expect(first).toBeInstanceOf(LockTimeoutError)
    expect(holdfast.census.orphans).toBe(1)
    expect(await inTime(lock.tryAcquire({ owner }))).toBeInstanceOf(StoreError)
    expect(await inTime(lock.tryLock({ owner, waitMs: 500 }))).toBeInstanceOf(Error)
    scene.proxy.heal()
    await eventually(() => holdfast.census.orphans === 0, Boolean, SOON_MS)
    // What was undone is undone, and what the owner takes now is not undone with it.
    const hold = await lock.acquire({ owner, waitMs: SOON_MS })
    expect(hold.owner).toBe(owner)
    await hold.release()
    await scene.nothingLeft()
  })

  test('H3: a section ends in time though a nested request may have counted', async () => {
    let nested: unknown
    const section = inTime(
      lock.withLock({ leaseMs: LEASE_MS }, async () => {
        scene.proxy.blackHole()
        nested = await inTime(lock.acquire({ leaseMs: LEASE_MS, waitMs: 200 }))
      }),
    )
    expect(await section).toBeInstanceOf(StoreError)
    expect(nested).toBeInstanceOf(LockTimeoutError)
    scene.proxy.heal()
    await scene.nothingLeft()
  })

  test('H3: the next nested request builds on what is known, and its hold is not undone', async () => {
    await lock.withLock(async ({ owner }) => {
      scene.proxy.blackHole()
      await expect(lock.acquire({ waitMs: 200 })).rejects.toBeInstanceOf(LockTimeoutError)
      scene.proxy.heal()
      await lock.withLock({ waitMs: SOON_MS }, async () => {
        await eventually(() => holdfast.census.orphans === 0, Boolean, SOON_MS)
        expect(await lock.holdCount(owner)).toBe(2)
      })
      expect(await lock.holdCount(owner)).toBe(1)
    })
    await scene.nothingLeft()
  })
})
