import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { Scene } from './scene.js'

/** A third of it is ten seconds: until then no renewal finds anything out. */
const WATCHDOG_MS = 30_000
/** Far less than that, and more than a busy machine needs for what takes a quarter of a second. */
const SOON_MS = 4_000

describe.each(['ioredis-6', 'ioredis-5'] as const)('a lock whose key is gone (%s)', (library) => {
  const scene = duringEach(() => Scene.standalone(library))

  test('H25: is found out soon though it goes from call to call in memory, however long the slice', async () => {
    const endless = { handOverSliceMs: 60_000, maxHandOvers: Number.POSITIVE_INFINITY }
    const holdfast = scene.holdfast({ watchdogMs: WATCHDOG_MS, ...endless })
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
