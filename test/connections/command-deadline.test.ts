import { describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { rejection } from '../setup/later.js'
import { span } from '../setup/span.js'
import { SLACK_MS } from './scenes.js'

const COMMAND_TIMEOUT_MS = 250
const LATE = { code: 'STORE_ERROR', transient: true }
const WAITERS = 200
const WATCHED_MS = 2_000
/** With pauses of up to half a second; one more at once for each connection that broke. */
const MOST_PER_SECOND = 12

const asks: ReadonlyArray<readonly [string, (lock: Lock, holdfast: Holdfast) => Promise<unknown>]> = [
  ['tryAcquire', (lock) => lock.tryAcquire()],
  ['isLocked', (lock) => lock.isLocked()],
  ['isHeld', (lock, holdfast) => lock.isHeld(holdfast.owner())],
  ['holdCount', (lock, holdfast) => lock.holdCount(holdfast.owner())],
  ['remainingMs', (lock) => lock.remainingMs()],
  ['inspect', (lock) => lock.inspect()],
  ['countWaitingClients', (lock) => lock.countWaitingClients()],
  ['forceUnlock', (lock) => lock.forceUnlock()],
  ['list', (_lock, holdfast) => holdfast.list()[Symbol.asyncIterator]().next()],
]

describe.each([
  { where: 'standalone, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'standalone, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
])('a server that does not serve ($where)', ({ open }) => {
  const scene = duringEach(() => open())

  test.each(asks)(
    'C3: every command has a deadline: %s, before the first connection and on a good one',
    async (_, ask) => {
      for (const warm of [false, true]) {
        const holdfast = scene.holdfast({ commandTimeoutMs: COMMAND_TIMEOUT_MS })
        const lock = holdfast.lock(scene.name)
        // The first connection may take a busy machine longer than this deadline.
        if (warm) await eventually(async () => (await rejection(() => lock.isLocked())) === undefined)
        for (const proxy of scene.proxies) proxy.blackHole()
        const startedAt = performance.now()
        await expect(ask(lock, holdfast)).rejects.toMatchObject(LATE)
        expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS)
        for (const proxy of scene.proxies) proxy.heal()
        await (await lock.acquire({ waitMs: 5_000 })).release()
        await scene.nothingLeft()
      }
    },
  )

  test('H9: an answer that cannot be read ends the call that asked, at once and for good', async () => {
    const value = scene.holdfast().guardedValue(scene.name)
    await scene.direct.hset(scene.name, { value: 'theirs', fence: 'zzz no number' })
    const failure = { code: 'STORE_ERROR', reason: 'wrong-type', transient: false }
    await expect(value.set('mine', 1n)).rejects.toMatchObject(failure)
    await expect(value.get()).rejects.toMatchObject(failure)
    expect(await scene.direct.hget(scene.name, 'value')).toBe('theirs')
    await scene.direct.del(scene.name)
    await value.set('mine', 1n)
    expect(await value.get()).toEqual({ value: 'mine', fence: 1n })
    await scene.direct.del(scene.name)
  })

  test(`H10: that refuses connections is asked for one at growing intervals, whoever waits for ${WAITERS} locks`, async () => {
    const holder = scene.holdfast({}, { proxied: false })
    const names = Array.from({ length: WAITERS }, (_, index) => `${scene.name}:${index}`)
    const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
    const waiter = scene.holdfast({ storeTimeoutMs: 60_000, warnAfterMs: 60_000 })
    const waits = names.map((name) => waiter.lock(name).acquire())
    await eventually(async () => (await scene.releaseChannels()).length === WAITERS)
    const subscribed = async (): Promise<string> =>
      [...(await scene.channels()), ...(await scene.processChannels(waiter))].sort().join()
    const before = await subscribed()
    const refused = (): number => scene.proxies.reduce((sum, proxy) => sum + proxy.refused, 0)
    for (const proxy of scene.proxies) {
      proxy.refuse()
      proxy.breakAll()
    }
    await eventually(() => refused() > 0)
    await span(WATCHED_MS)
    expect(refused()).toBeLessThan(scene.proxies.length * MOST_PER_SECOND * (WATCHED_MS / 1_000))
    for (const proxy of scene.proxies) proxy.heal()
    await eventually(subscribed, (channels) => channels === before)
    await Promise.all(holds.map((hold) => hold.release()))
    for (const wait of waits) await (await wait).release()
    await scene.nothingLeft()
  })
})

test('C3: a server that refuses connections is an error at once', async () => {
  const scene = await Scene.standalone()
  const lock = scene.holdfast({ commandTimeoutMs: 5_000 }).lock(scene.name)
  scene.proxy.refuse()
  const startedAt = performance.now()
  await expect(lock.tryAcquire()).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
  expect(performance.now() - startedAt).toBeLessThan(SLACK_MS)
  await scene.end()
})
