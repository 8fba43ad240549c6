/** A lock's key is overwritten by something of another type: certain loss, which the next renewal tells. */
import { describe, expect, test } from 'vitest'
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
