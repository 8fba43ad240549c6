/** A lock's key is overwritten by something of another type: certain loss, which the next renewal tells. */
import { describe, expect, test } from 'vitest'
import type { Hold, Holdfast } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { Scene } from './scene.js'

const WATCHDOG_MS = 6_000

const kinds: ReadonlyArray<{
  kind: string
  key: (name: string) => string
  take: (holdfast: Holdfast, name: string) => Promise<Hold>
}> = [
  { kind: 'lock', key: (name) => name, take: (holdfast, name) => holdfast.lock(name).acquire() },
  { kind: 'fenced lock', key: (name) => name, take: (holdfast, name) => holdfast.fencedLock(name).acquire() },
  { kind: 'fair lock', key: (name) => name, take: (holdfast, name) => holdfast.fairLock(name).acquire() },
  {
    kind: 'read lock',
    key: (name) => `holdfast_rw:{${name}}`,
    take: (holdfast, name) => holdfast.readWriteLock(name).readLock().acquire(),
  },
  {
    kind: 'write lock',
    key: (name) => `holdfast_rw_leases:{${name}}`,
    take: (holdfast, name) => holdfast.readWriteLock(name).writeLock().acquire(),
  },
  {
    kind: 'semaphore',
    key: (name) => name,
    take: async (holdfast, name) => {
      await holdfast.semaphore(name).trySetPermits(2)
      return await holdfast.semaphore(name).acquire()
    },
  },
  {
    kind: 'permit-expirable semaphore',
    key: (name) => `{${name}}:timeout`,
    take: async (holdfast, name) => {
      await holdfast.permitExpirableSemaphore(name).trySetPermits(2)
      return await holdfast.permitExpirableSemaphore(name).acquire()
    },
  },
]

describe.each([
  { where: 'main thread', watchdogThread: false },
  { where: 'watchdog thread', watchdogThread: true },
])('H24: a key that is something else by now ($where)', ({ watchdogThread }) => {
  const scene = duringEach(() => Scene.standalone())

  test.each(kinds)('$kind: lost, at the next renewal and not at the deadline', async ({ key, take }) => {
    const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS, watchdogThread }, { proxied: false })
    const told = eventsOf(holdfast, ['lost', 'suspended'])
    const from = performance.now()
    const hold = await take(holdfast, scene.name)
    await scene.direct.del(key(scene.name))
    await scene.direct.lpush(key(scene.name), 'something else')
    await eventually(() => hold.signal.aborted)
    expect(performance.now() - from).toBeLessThan(WATCHDOG_MS - 500)
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-in-store' })
    expect(told).toHaveLength(1)
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
    await scene.direct.del(key(scene.name))
  })
})
