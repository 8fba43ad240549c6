/** Rule X1 over a wire that loses answers: whatever was carried out counts once. */
import { describe, expect, test } from 'vitest'
import { calls } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'

const faults = [
  { where: 'standalone', open: () => Scene.standalone(), fault: 'break' as const },
  { where: 'standalone', open: () => Scene.standalone(), fault: 'silence' as const },
  { where: 'cluster', open: () => Scene.cluster(), fault: 'break' as const },
]

describe.each(faults)('X1: a reply is lost, $fault ($where)', ({ open, fault }) => {
  const scene = duringEach(() => open())

  test('of an acquire and a release of permits: they count once', async () => {
    const semaphore = scene.holdfast({ commandTimeoutMs: lasting(300) }).semaphore(scene.name)
    await semaphore.trySetPermits(5)
    const acquired = scene.dropReply(calls('permitsAcquire'), fault)
    const hold = await semaphore.acquire({ permits: 2 })
    await acquired
    expect(await semaphore.availablePermits()).toBe(3)
    const released = scene.dropReply(calls('permitsRelease'), fault)
    await hold.release()
    await released
    expect(await semaphore.availablePermits()).toBe(5)
  })

  test('of an acquire and a release of permits with ids: they count once', async () => {
    const semaphore = scene.holdfast({ commandTimeoutMs: lasting(300) }).permitExpirableSemaphore(scene.name)
    await semaphore.trySetPermits(5)
    const acquired = scene.dropReply(calls('permitsAcquire'), fault)
    const hold = await semaphore.acquire({ permits: 2 })
    await acquired
    expect(await semaphore.acquiredPermits()).toBe(2)
    const returned = scene.dropReply(calls('permitsReturn'), fault)
    expect(await semaphore.tryRelease(String(hold.permitIds[0]))).toBe(true)
    await returned
    const released = scene.dropReply(calls('permitsRelease'), fault)
    await hold.release()
    await released
    expect(await semaphore.availablePermits()).toBe(5)
    expect(await semaphore.acquiredPermits()).toBe(0)
  })

  test('of a change of how many there are: it is made once, and answered as the first time', async () => {
    const semaphore = scene.holdfast({ commandTimeoutMs: lasting(300) }).semaphore(scene.name)
    const set = scene.dropReply(calls('permitsSet'), fault)
    expect(await semaphore.trySetPermits(5)).toBe(true)
    await set
    const added = scene.dropReply(calls('permitsAdd'), fault)
    await semaphore.addPermits(2)
    await added
    expect(await semaphore.availablePermits()).toBe(7)
    const drained = scene.dropReply(calls('semaphoreDrain'), fault)
    expect(await semaphore.drainPermits()).toBe(7)
    await drained
    expect(await semaphore.availablePermits()).toBe(0)
  })

  test('of a count-down: it counts once', async () => {
    const latch = scene.holdfast({ commandTimeoutMs: lasting(300) }).countDownLatch(scene.name)
    await latch.trySetCount(3)
    const counted = scene.dropReply(calls('latchCountDown'), fault)
    expect(await latch.countDown()).toBe(2)
    await counted
    expect(await latch.count()).toBe(2)
  })

  test('a caller who leaves before the answer comes has taken nothing', async () => {
    const holdfast = scene.holdfast({ commandTimeoutMs: lasting(300) })
    const semaphore = holdfast.semaphore(scene.name)
    await semaphore.trySetPermits(3)
    const held = scene.holdReply(calls('permitsAcquire'))
    const controller = new AbortController()
    const leaving = semaphore.acquire({ permits: 2, signal: controller.signal })
    const answer = await held
    controller.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    answer.letGo()
    await expect.poll(() => semaphore.availablePermits()).toBe(3)
    await expect.poll(() => holdfast.census.orphans).toBe(0)
  })
})
