import { describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const COMMAND_TIMEOUT_MS = 250
/** How much later than its bound a call may end on a busy machine. */
const SLACK_MS = 1_500

/** Every way there is of asking the store something. */
const asks: Record<string, (lock: Lock, holdfast: Holdfast) => Promise<unknown>> = {
  tryAcquire: (lock) => lock.tryAcquire(),
  isLocked: (lock) => lock.isLocked(),
  isHeld: (lock, holdfast) => lock.isHeld(holdfast.owner()),
  holdCount: (lock, holdfast) => lock.holdCount(holdfast.owner()),
  remainingMs: (lock) => lock.remainingMs(),
  inspect: (lock) => lock.inspect(),
  countWaitingClients: (lock) => lock.countWaitingClients(),
  forceUnlock: (lock) => lock.forceUnlock(),
  list: async (_lock, holdfast) => {
    for await (const _state of holdfast.list()) break
  },
}

const stages = [
  { where: 'standalone, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'standalone, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
]

describe.each(stages)('C3: every command has a deadline ($where)', ({ open }) => {
  const scene = duringEach(() => open())

  test.each(Object.keys(asks))('%s, before the first connection and on a good one', async (name) => {
    const ask = asks[name]
    if (!ask) throw new Error(`no such call: ${name}`)
    const late = { code: 'STORE_ERROR', transient: true }
    for (const warm of [false, true]) {
      const holdfast = scene.holdfast({ commandTimeoutMs: COMMAND_TIMEOUT_MS })
      const lock = holdfast.lock(scene.name)
      // The first connection may take a busy machine longer than this deadline.
      if (warm)
        await eventually(() =>
          lock.isLocked().then(
            () => true,
            () => false,
          ),
        )
      for (const proxy of scene.proxies) proxy.blackHole()
      const startedAt = performance.now()
      await expect(ask(lock, holdfast)).rejects.toMatchObject(late)
      expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS)
      for (const proxy of scene.proxies) proxy.heal()
      const hold = await lock.acquire({ waitMs: 5_000 })
      await hold.release()
      await scene.nothingLeft()
    }
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
