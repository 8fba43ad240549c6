import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockLostError, LockTimeoutError, StoreError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'
import { eventsOf } from './heard.js'
import { stage } from './stage.js'

/** How much later than its bound a call may end on a busy machine. */
const SLACK_MS = 1_500

describe.each(['ioredis-6', 'ioredis-5'] as const)('a hung server (%s)', (library) => {
  const { server, scene } = stage(library)

  test('W5, redisson#5019, #2801: a wait ends in time, with the trouble as its cause; a late grant is given back', async () => {
    const lock = scene.holdfast({ commandTimeoutMs: 300 }).lock(scene.name)
    // Tries again, should the first connection take longer than that.
    await lock.withLock(() => undefined)
    await server.pause()
    const startedAt = performance.now()
    await expect(lock.acquire({ waitMs: 700 })).rejects.toSatisfy(
      (error) => error instanceof LockTimeoutError && error.cause instanceof StoreError,
    )
    expect(performance.now() - startedAt).toBeLessThan(700 + SLACK_MS)
    await server.resume()
    await scene.nothingLeft()
  })

  test('W5: so does a wait for several locks, or for any of several', async () => {
    const holdfast = scene.holdfast()
    const several = [0, 1, 2].map((index) => holdfast.lock(`${scene.name}:${index}`))
    const [all, any] = [holdfast.multiLock(several), holdfast.stripedLock(scene.name, 8)]
    await several[0]?.isLocked()
    await server.pause()
    for (const call of [all.acquire({ waitMs: 200 }), any.acquireAny({ waitMs: 200 })]) {
      const error = await rejectionOf(call)
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(error).toMatchObject({
        message: expect.stringContaining('did not answer'),
        cause: expect.any(StoreError),
      })
    }
    await server.resume()
    await scene.nothingLeft()
  })

  test('W5: a wait for a latch that ends so names the latch and the way to wait for it', async () => {
    const latch = scene.holdfast().countDownLatch(scene.name)
    await latch.trySetCount(1)
    const inTime = await rejectionOf(latch.await({ waitMs: 20 }))
    expect(String(inTime)).toMatch(/^LockTimeoutError: Latch "[^"]+" did not open within .*tryAwait\(\)/)
    await server.pause()
    const failed = { code: 'STORE_ERROR', command: 'await', message: expect.stringMatching(/^await /) }
    await expect(latch.tryAwait({ waitMs: 200 })).rejects.toMatchObject(failed)
    await expect(latch.await({ waitMs: 200 })).rejects.toMatchObject({
      message: expect.stringContaining('Whether it is open is not known'),
      cause: expect.objectContaining(failed),
    })
    await server.resume()
    await latch.delete()
    await scene.nothingLeft()
  })

  test('during a wait: it ends in time, or is granted when the server goes on', async () => {
    const hold = await scene.holdfast().lock(scene.name).acquire()
    const waiter = scene.holdfast({ commandTimeoutMs: 300, storeTimeoutMs: 60_000 })
    const brief = waiter.lock(scene.name).acquire({ waitMs: 600 })
    const outcome = later(expect(brief).rejects.toBeInstanceOf(LockTimeoutError))
    await eventually(async () => (await scene.channels()).length > 0)
    const startedAt = performance.now()
    await server.pause()
    await outcome
    expect(performance.now() - startedAt).toBeLessThan(600 + SLACK_MS)
    const patient = waiter.lock(scene.name).acquire()
    await eventually(() => scene.proxy.commands.some(({ reply }) => reply === undefined))
    await server.resume()
    await hold.release()
    await (await patient).release()
    await scene.nothingLeft()
  })

  test('L3, L4, redis-semaphore#199: while the lock is held: suspended, then lost at the local deadline', async () => {
    const holdfast = scene.holdfast({ watchdogMs: 3_000, commandTimeoutMs: 200 })
    const heard = eventsOf(holdfast, ['suspended', 'lost'])
    const hold = await holdfast.lock(scene.name).acquire()
    const lost = new Promise((resolve) => holdfast.once('lost', resolve))
    const aborted = new Promise((resolve) => hold.signal.addEventListener('abort', resolve))
    const deadline = performance.now() + hold.remainingMs()
    await server.pause()
    expect(await lost).toMatchObject({ owner: hold.owner, reason: 'lease-expired' })
    await aborted
    expect(performance.now()).toBeGreaterThan(deadline - 50)
    expect(performance.now()).toBeLessThan(deadline + 3_000 / 3 + SLACK_MS)
    expect(heard).toEqual(['suspended', 'lost'])
    expect(hold.signal.reason).toBeInstanceOf(LockLostError)
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    await server.resume()
    await scene.nothingLeft()
  })

  test('H5: close ends in time whatever is under way: holds, waits, releases, undoing', async () => {
    const holdfast = scene.holdfast({ commandTimeoutMs: 3_000 })
    const lock = (n: number) => holdfast.lock(`${scene.name}:${n}`)
    await lock(1).acquire({ leaseMs: 1_000 })
    const releasing = await lock(2).acquire({ leaseMs: 60_000 })
    const outer = await holdfast.fairLock(`${scene.name}:fair`).acquire()
    await holdfast.semaphore(`${scene.name}:semaphore`).trySetPermits(1)
    await server.pause()
    const ends = [
      releasing.release(),
      outer.run(() => holdfast.fairLock(outer.name).acquire()),
      lock(3).acquire(),
      lock(4).tryAcquire({ leaseMs: 60_000 }),
      holdfast.semaphore(`${scene.name}:semaphore`).acquire(),
      holdfast.semaphore(`${scene.name}:semaphore`).addPermits(1),
      lock(5).isLocked(),
    ].map((each) => each.catch((error: unknown) => error))
    await lock(6)
      .acquire({ waitMs: 200, leaseMs: 60_000 })
      .catch(() => undefined)
    expect(holdfast.census.orphans).toBeGreaterThan(0)
    const startedAt = performance.now()
    await holdfast.close({ timeoutMs: 1_000 })
    expect(performance.now() - startedAt).toBeLessThan(1_000 + SLACK_MS)
    for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(Error)
  })

  test('H5: with nothing said it ends in less than what a container is given', async () => {
    const holdfast = scene.holdfast()
    await holdfast.lock(scene.name).isLocked()
    await server.pause()
    await holdfast
      .lock(scene.name)
      .acquire({ waitMs: 200 })
      .catch(() => undefined)
    const startedAt = performance.now()
    await holdfast.close()
    expect(performance.now() - startedAt).toBeLessThan(5_000 + SLACK_MS)
  })
})
