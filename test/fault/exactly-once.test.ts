import { beforeEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, type Holdfast, type Lock, StoreError } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { eventsOf } from './heard.js'
import { calls } from './proxied-command.js'
import { Scene } from './scene.js'

const stages = [
  { where: 'ioredis 6, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'iovalkey', open: () => Scene.standalone('iovalkey') },
  { where: 'cluster, ioredis 6', open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, ioredis 5', open: () => Scene.cluster('ioredis-5') },
]
const faults = stages.flatMap((stage) =>
  (['break', 'silence'] as const).map((fault) => ({ ...stage, fault })),
)

describe.each(faults)('X1: a reply is lost, $fault ($where)', ({ open, fault }) => {
  let holdfast: Holdfast
  let lock: Lock
  let told: string[]

  const scene = duringEach(() => open())
  beforeEach(() => {
    holdfast = scene.holdfast({ commandTimeoutMs: lasting(300) })
    lock = holdfast.lock(scene.name)
    told = eventsOf(holdfast, ['acquired', 'released', 'lost', 'error'])
  })

  test('of an acquire and a release, nested and not: each counts once, with no false loss', async () => {
    const owner = holdfast.owner()
    const held: Hold[] = []
    for (const count of [1, 2, 3]) {
      const dropped = scene.dropReply(calls('acquire'), fault)
      held.push(await lock.acquire({ owner }))
      await dropped
      expect(await scene.holds()).toEqual({ [owner]: String(count) })
    }
    for (const left of [2, 1, 0]) {
      const dropped = scene.dropReply(calls('release'), fault)
      const hold = held.pop()
      await hold?.release()
      await dropped
      expect(hold?.signal.aborted).toBe(false)
      expect(await scene.holds()).toEqual(left === 0 ? {} : { [owner]: String(left) })
    }
    expect(told).toEqual([...Array(3).fill('acquired'), ...Array(3).fill('released')])
    await scene.nothingLeft()
  })

  test('of the last release, while another owner takes the lock: the repeated one leaves it alone', async () => {
    const hold = await lock.acquire()
    const waiting = scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()
    await eventually(async () => (await scene.channels()).length > 0)
    const dropped = scene.dropReply(calls('release'), fault)
    const releasing = hold.release()
    await dropped
    const next = await waiting
    await releasing
    expect(await scene.holds()).toEqual({ [next.owner]: '1' })
    next.assertHeld()
    await next.release()
    expect(told).toEqual(['acquired', 'released'])
    await scene.nothingLeft()
  })

  test('of a single attempt: it is a StoreError, and what was taken is given back', async () => {
    const dropped = scene.dropReply(calls('acquire'), fault)
    const outcome = await rejectionOf(lock.tryAcquire())
    await dropped
    expect(outcome).toBeInstanceOf(StoreError)
    expect(outcome).toMatchObject({ transient: true, lockName: scene.name })
    await scene.nothingLeft()
    expect(told).toEqual([])
  })

  test('of a single nested attempt: its count is taken back and the outer hold stands', async () => {
    const outer = await lock.acquire()
    const dropped = scene.dropReply(calls('acquire'), fault)
    await expect(lock.tryAcquire({ owner: outer.owner })).rejects.toBeInstanceOf(StoreError)
    await dropped
    await eventually(() => holdfast.census.orphans === 0)
    expect(await scene.holds()).toEqual({ [outer.owner]: '1' })
    const inner = await lock.acquire({ owner: outer.owner })
    expect(await scene.holds()).toEqual({ [outer.owner]: '2' })
    await inner.release()
    await outer.release()
    await scene.nothingLeft()
  })
})
