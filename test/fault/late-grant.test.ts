import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClosedError, type Hold, type Holdfast, type Lock, LockTimeoutError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'
import { calls } from './proxied-command.js'
import { Scene } from './scene.js'

const stages = [
  { where: 'ioredis 6, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster, ioredis 6', open: () => Scene.cluster('ioredis-6') },
]

/** The grant is in Redis, and its reply on the way, when the caller leaves. */
describe.each(stages)('W4: a grant that arrives after its caller left is given back ($where)', ({ open }) => {
  let scene: Scene
  let holdfast: Holdfast
  let lock: Lock

  beforeEach(async () => {
    scene = await open()
    holdfast = scene.holdfast({ commandTimeoutMs: 5_000 })
    lock = holdfast.lock(scene.name)
    await lock.isLocked()
  })

  afterEach(() => scene.end())

  test('after its time was up; W5: the call ends in time all the same', async () => {
    const holding = scene.holdReply(calls('acquire'))
    const startedAt = performance.now()
    await expect(lock.acquire({ waitMs: 150 })).rejects.toBeInstanceOf(LockTimeoutError)
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    const held = await holding
    expect(Object.values(await scene.holds())).toEqual(['1'])
    held.letGo()
    await scene.nothingLeft()
  })

  test('after an abort', async () => {
    const holding = scene.holdReply(calls('acquire'))
    const controller = new AbortController()
    const outcome = later(expect(lock.acquire({ signal: controller.signal })).rejects.toBe('enough'))
    const held = await holding
    controller.abort('enough')
    await outcome
    expect(Object.values(await scene.holds())).toEqual(['1'])
    held.letGo()
    await scene.nothingLeft()
  })

  test('after close, which waits for that', async () => {
    const holding = scene.holdReply(calls('acquire'))
    const outcome = later(expect(lock.acquire()).rejects.toBeInstanceOf(ClosedError))
    const held = await holding
    const closing = holdfast.close()
    await outcome
    held.letGo()
    await closing
    expect(await scene.holds()).toEqual({})
  })

  test('after close, when the reply never comes', async () => {
    const impatient = scene.holdfast({ commandTimeoutMs: 300 })
    await impatient.lock(scene.name).isLocked()
    void scene.dropReply(calls('acquire'), 'silence')
    const outcome = later(expect(impatient.lock(scene.name).acquire()).rejects.toBeInstanceOf(ClosedError))
    await eventually(async () => Object.keys(await scene.holds()).length === 1)
    await impatient.close()
    await outcome
    expect(await scene.holds()).toEqual({})
  })

  test.each(['time', 'abort'])('a nested one, after %s: the outer hold keeps its count', async (end) => {
    const outer: Hold = await lock.acquire()
    const holding = scene.holdReply(calls('acquire'))
    const controller = new AbortController()
    const options = end === 'time' ? { waitMs: 150 } : { signal: controller.signal }
    const outcome = later(expect(lock.acquire({ owner: outer.owner, ...options })).rejects.toBeDefined())
    const held = await holding
    expect(await scene.holds()).toEqual({ [outer.owner]: '2' })
    controller.abort()
    await outcome
    held.letGo()
    await eventually(async () => (await scene.holds())[outer.owner] === '1')
    const inner = await lock.acquire({ owner: outer.owner })
    expect(await scene.holds()).toEqual({ [outer.owner]: '2' })
    await inner.release()
    await outer.release()
    await scene.nothingLeft()
  })

  test('a waiter in another process gets the lock that was given back', async () => {
    const holding = scene.holdReply(calls('acquire'))
    const outcome = later(expect(lock.acquire({ waitMs: 150 })).rejects.toBeInstanceOf(LockTimeoutError))
    const held = await holding
    const other = scene.holdfast({}, { proxied: false })
    const waiting = other.lock(scene.name).acquire()
    await outcome
    held.letGo()
    const next = await waiting
    expect(await scene.holds()).toEqual({ [next.owner]: '1' })
    await next.release()
    await scene.nothingLeft()
  })
})
