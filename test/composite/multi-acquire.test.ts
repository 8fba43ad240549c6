/** Several locks with one script: what it costs, and what becomes of it when its reply is lost or a key is not a lock. */
import { Cluster } from 'ioredis5'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { calls } from '../fault/proxied-command.js'
import { NOTHING, Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'

describe.each([
  { where: 'RESP3', slots: 1, open: () => Scene.standalone('ioredis-6') },
  { where: 'RESP2', slots: 1, open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', slots: 2, open: () => Scene.cluster('ioredis-6') },
])('several locks with one script ($where)', ({ slots, open }) => {
  let holdfast: Holdfast
  let locks: Lock[]

  const scene = duringEach(() => open())
  beforeEach(async () => {
    holdfast = scene.holdfast({ commandTimeoutMs: 1_000 })
    // Two slots at most, so that the cluster has two scripts.
    locks = [0, 1, 2, 3].map((index) => holdfast.lock(`{${scene.name}:${index % 2}}:${index}`))
    // The connections are open then, and the server knows the scripts.
    await holdfast.multiLock(locks).withLock(() => undefined)
  })

  async function owners(): Promise<string[]> {
    const held = await Promise.all(locks.map(({ name }) => scene.holds(name)))
    return held.flatMap((each) => Object.entries(each).map(([owner, holds]) => `${owner} ${holds}`))
  }

  /** What has been sent since. */
  function labelsFromNow(): () => string[] {
    const tallies = scene.proxies.map((proxy) => proxy.tally())
    return () => tallies.flatMap((tally) => tally.labels)
  }

  async function nothingLeft(): Promise<void> {
    await eventually(async () => (await owners()).length === 0)
    await eventually(() => JSON.stringify(holdfast.census) === JSON.stringify(NOTHING))
  }

  test('one command for each slot, and one to release each lock', async () => {
    const labels = labelsFromNow()
    const hold = await holdfast.multiLock(locks).acquire()
    expect(new Set(locks.map(({ name }) => slotOf(name))).size).toBe(2)
    expect(labels()).toEqual(new Array(slots).fill('multiAcquire'))
    await hold.release()
    expect(labels().filter((label) => label === 'release')).toHaveLength(4)
    expect(labels()).toHaveLength(slots + 4)
  })

  test('any free stripe: one command; with all but one held, a few', async () => {
    const striped = holdfast.stripedLock(`{${scene.name}}`, 16)
    await striped.withAny(() => undefined)
    const labels = labelsFromNow()
    const first = await striped.acquireAny()
    expect(labels()).toEqual(['multiAcquireOne'])
    await first.release()
    const other = scene.holdfast({}, { proxied: false }).stripedLock(striped.name, 16)
    const holds = await Promise.all(Array.from({ length: 15 }, (_, index) => other.stripe(index).acquire()))
    const before = labels().length
    const last = await striped.acquireAny()
    expect(last.index).toBe(15)
    // One, two, four, eight, and the one that is left.
    expect(labels().length - before).toBeLessThanOrEqual(5)
    await last.release()
    await Promise.all(holds.map((hold) => hold.release()))
  })

  describe.each(['break', 'silence'] as const)('a reply that is lost (%s)', (how) => {
    beforeEach(() => void scene.dropReply(calls('multiAcquire'), how))

    test('X1: all are held, once', async () => {
      const hold = await holdfast.multiLock(locks).acquire()
      hold.assertHeld()
      // What was lost is undone in the background, so the store has them down to other names of that owner.
      expect((await owners()).map((each) => each.split(' ')[1])).toEqual(locks.map(() => '1'))
      expect(await Promise.all(locks.map((each) => each.holdCount(hold.owner)))).toEqual(locks.map(() => 1))
      await hold.release()
      await nothingLeft()
    })

    test('W4: to a single attempt: none is held', async () => {
      const call = holdfast.multiLock(locks).acquire({ waitMs: 0 })
      await expect(call).rejects.toMatchObject({ code: 'STORE_ERROR' })
      await nothingLeft()
    })
  })

  test('W4: a grant that comes after its caller left is given back', async () => {
    const holding = scene.holdReply(calls('multiAcquire'))
    const controller = new AbortController()
    const outcome = later(
      expect(holdfast.multiLock(locks).acquire({ signal: controller.signal })).rejects.toBe('enough'),
    )
    const held = await holding
    controller.abort('enough')
    await outcome
    held.letGo()
    await nothingLeft()
  })

  test('X2: the scripts survive SCRIPT FLUSH', async () => {
    const nodes = scene.direct instanceof Cluster ? scene.direct.nodes('master') : [scene.direct]
    for (const node of nodes) await node.call('SCRIPT', 'FLUSH')
    await holdfast.multiLock(locks).withLock(async () => expect(await owners()).toHaveLength(4))
    await nothingLeft()
  })

  test('a key that is no lock: a typed error, and the others are left alone', async () => {
    const name = locks[3]?.name ?? ''
    await scene.direct.set(name, 'text')
    const refusal = { code: 'STORE_ERROR', reason: 'wrong-type' }
    await expect(holdfast.multiLock(locks).acquire()).rejects.toMatchObject(refusal)
    await scene.direct.del(name)
    await nothingLeft()
  })

  test('redisson#4050: contended by other processes: excluded, complete, without deadlock', async () => {
    const others = [holdfast, scene.holdfast(), scene.holdfast({}, { proxied: false })]
    let inside = 0
    const sections = Array.from({ length: 18 }, async (_, turn) => {
      const client = others[turn % others.length] ?? holdfast
      const wanted = turn % 2 === 0 ? locks : [...locks].reverse().slice(turn % 3)
      await client.multiLock(wanted.map(({ name }) => client.lock(name))).withLock(async () => {
        inside += 1
        expect(inside).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      })
    })
    await Promise.all(sections)
    await nothingLeft()
  })
})
