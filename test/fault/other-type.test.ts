/** A lock's key is overwritten by something of another type, or gone: certain loss, which the next renewal tells, or the next look. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { Scene } from './scene.js'
import { takes } from './takes.js'

const WATCHDOG_MS = 6_000

/** Where each kind keeps who has it. */
const kinds = [
  { kind: 'lock', key: (name: string) => name },
  { kind: 'fencedLock', key: (name: string) => name },
  { kind: 'fairLock', key: (name: string) => name },
  { kind: 'readLock', key: (name: string) => `holdfast_rw:{${name}}` },
  { kind: 'writeLock', key: (name: string) => `holdfast_rw_leases:{${name}}` },
  { kind: 'semaphore', key: (name: string) => name },
  { kind: 'permitExpirableSemaphore', key: (name: string) => `{${name}}:timeout` },
] as const

describe.each([
  { where: 'main thread', watchdogThread: false },
  { where: 'watchdog thread', watchdogThread: true },
])('H24: a key that is something else by now ($where)', ({ watchdogThread }) => {
  const scene = duringEach(() => Scene.standalone())

  test.each(kinds)('$kind: lost, at the next renewal and not at the deadline', async ({ kind, key }) => {
    const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS, watchdogThread }, { proxied: false })
    const told = eventsOf(holdfast, ['lost', 'suspended'])
    const from = performance.now()
    const hold = await takes[kind](holdfast, scene.name)
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

/** A third of it is ten seconds: until then no renewal finds anything out. */
const LONG_WATCHDOG_MS = 30_000
/** Far less than that, and more than a busy machine needs for what takes a quarter of a second. */
const SOON_MS = 4_000

describe.each(['ioredis-6', 'ioredis-5'] as const)('a lock whose key is gone (%s)', (library) => {
  const scene = duringEach(() => Scene.standalone(library))

  test('H25: is found out soon though it goes from call to call in memory, however long the slice', async () => {
    const endless = { handOverSliceMs: 60_000, maxHandOvers: Number.POSITIVE_INFINITY }
    const holdfast = scene.holdfast({ watchdogMs: LONG_WATCHDOG_MS, ...endless })
    const lock = holdfast.lock(scene.name)
    let deletedAt = Number.POSITIVE_INFINITY
    let lastSuccess = 0
    let lost = false
    const task = async (): Promise<void> => {
      while (!lost && performance.now() < deletedAt + SOON_MS) {
        try {
          const begunAt = await lock.withLock(() => pause(3, performance.now()))
          if (!lost) lastSuccess = begunAt
        } catch (error) {
          expect(error).toBeInstanceOf(LockLostError)
          lost = true
        }
      }
    }
    const tasks = [task(), task(), task()]
    await eventually(() => holdfast.metrics().handOvers.inMemory > 20)
    await scene.direct.del(scene.name)
    deletedAt = performance.now()
    await Promise.all(tasks)
    expect(lost).toBe(true)
    expect(lastSuccess - deletedAt).toBeLessThan(SOON_MS)
    await scene.nothingLeft()
  })
})
