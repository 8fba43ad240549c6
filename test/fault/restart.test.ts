import { describe, expect, test } from 'vitest'
import { LockLostError, LockTimeoutError, StoreError } from '../../src/index.js'
import { succeeds } from '../servers/until.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { stage } from './stage.js'

/** How much later than its bound a call may end on a busy machine. */
const SLACK_MS = 1_500

describe.each(['ioredis-6', 'ioredis-5'] as const)('a server restarts (%s)', (library) => {
  const { server, scene } = stage(library)

  test('with its data, while the lock is held: it is renewed and not lost', async () => {
    const holdfast = scene.holdfast({ watchdogMs: 6_000, commandTimeoutMs: 500 })
    const hold = await holdfast.lock(scene.name).acquire()
    const heard = eventsOf(holdfast, ['renewed', 'lost'])
    await server.restart({ keepData: true })
    await eventually(() => heard.includes('renewed'))
    hold.assertHeld()
    expect(await scene.holds()).toEqual({ [hold.owner]: '1' })
    await hold.release()
    expect(heard).not.toContain('lost')
    await scene.nothingLeft()
  })

  test.each(['lock', 'fairLock'] as const)(
    'W2, X2: without data and scripts, while one waits for a %s: the waiter is in, the holder is told',
    async (kind) => {
      // A lease so long that its end wakes nobody here.
      const hold = await scene.holdfast()[kind](scene.name).acquire({ leaseMs: 60_000 })
      const waiting = scene.holdfast({ commandTimeoutMs: 500 })[kind](scene.name).acquire()
      await eventually(async () => (await scene.channels()).length > 0)
      await server.restart({ keepData: false })
      const next = await waiting
      expect(await scene.holds()).toEqual({ [next.owner]: '1' })
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
      expect(await scene.holds()).toEqual({ [next.owner]: '1' })
      await next.release()
      await scene.nothingLeft()
    },
  )

  test('W5: calls to a server that is gone end in time, and work again when it is back', async () => {
    const lock = scene.holdfast({ commandTimeoutMs: 300, storeTimeoutMs: 800 }).lock(scene.name)
    // The first connection may take longer than that.
    await eventually(() => succeeds(lock.isLocked()))
    await server.kill()
    const startedAt = performance.now()
    await expect(lock.tryAcquire()).rejects.toMatchObject({ code: 'STORE_ERROR', transient: true })
    await expect(lock.acquire({ waitMs: 400 })).rejects.toSatisfy(
      (error) => error instanceof LockTimeoutError && error.cause instanceof StoreError,
    )
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
    expect(performance.now() - startedAt).toBeLessThan(300 + 400 + 800 + SLACK_MS)
    await server.restart({ keepData: false })
    await (await lock.acquire({ waitMs: 5_000 })).release()
    await scene.nothingLeft()
  })
})
