import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockTimeoutError, StoreError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { calls } from './proxied-command.js'
import { Scene } from './scene.js'
import { type Take, takes } from './takes.js'

const STORE_TIMEOUT_MS = 1_000
/** All calls are seen to wait before it ends. */
const LEASE_MS = 2_000
/** One command's time, and what a busy machine adds. Six calls one after the other take more than twice of all. */
const SLACK_MS = 2_000

/** Where there are permits, all of them are wanted. */
const kinds: ReadonlyArray<readonly [string, Take]> = [
  ['lock', takes.lock],
  ['fairLock', takes.fairLock],
  ['writeLock', takes.writeLock],
  ['semaphore', (holdfast, name, options) => holdfast.semaphore(name, 1).acquire(options)],
]

describe.each(kinds)('waiters and a store that fails (%s)', (_kind, take) => {
  const scene = duringEach(() => Scene.standalone())

  test.each(['refuses', 'is silent'] as const)(
    'H4: all that wait give up together when it %s',
    async (how) => {
      const hold = await take(scene.holdfast({}, { proxied: false }), scene.name, { leaseMs: LEASE_MS })
      const holdfast = scene.holdfast({ commandTimeoutMs: 300, storeTimeoutMs: STORE_TIMEOUT_MS })
      const waits = Array.from({ length: 6 }, () => rejectionOf(take(holdfast, scene.name)))
      await eventually(() => scene.proxy.commands.some((each) => each.applied && each.name === 'SUBSCRIBE'))
      if (how === 'refuses') scene.proxy.refuse()
      else scene.proxy.blackHole()
      scene.proxy.breakAll()
      // The next look is due when the lease that was seen has ended; then the store begins to fail.
      const brokenAt = performance.now()
      const ends = await Promise.all(waits)
      expect(performance.now() - brokenAt).toBeLessThan(LEASE_MS + STORE_TIMEOUT_MS + SLACK_MS)
      for (const end of ends) expect(end).toBeInstanceOf(StoreError)
      scene.proxy.heal()
      await hold.release().catch(() => undefined)
      await scene.direct.del(scene.name)
    },
  )
})

describe('a value that is computed once', () => {
  const scene = duringEach(() => Scene.standalone())

  test('W5, chaos 30010: the store that falls silent at the look under the lock holds up its caller no longer than waitMs', async () => {
    const holdfast = scene.holdfast({ commandTimeoutMs: 30_000 })
    await holdfast.lock(`${scene.name}:open`).isLocked()
    let computed = 0
    const lost = scene.dropReply(calls('computeOnceRead'), 'silence', 2)
    const value = holdfast.computeOnce(scene.name, () => (computed += 1), { ttlMs: 60_000, waitMs: 500 })
    await expect(value).rejects.toBeInstanceOf(LockTimeoutError)
    await lost
    expect(computed).toBe(0)
  })
})
