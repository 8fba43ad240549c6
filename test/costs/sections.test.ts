import { beforeEach, describe, expect, test } from 'vitest'
import type { Hold, Holdfast, Lock, LockState } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'

const stages = [
  { where: 'RESP3', open: () => Scene.counted('ioredis-6') },
  { where: 'RESP2', open: () => Scene.counted('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, RESP2', open: () => Scene.cluster('ioredis-5') },
  { where: 'cluster, iovalkey', open: () => Scene.cluster('iovalkey') },
]

interface Cost {
  readonly commands: readonly string[]
  readonly roundTrips: number
}

/** Design section 7, uncontended: once the connection is open and the server knows the scripts. */
describe.each(stages)('costs without contention ($where)', ({ open }) => {
  let holdfast: Holdfast
  let lock: Lock

  const scene = duringEach(() => open())
  beforeEach(async () => {
    holdfast = scene.holdfast()
    lock = holdfast.lock(scene.name)
    await lock.withLock(() => 0)
    await lock.isLocked()
  })

  async function costOf(body: () => Promise<unknown>): Promise<Cost> {
    const tallies = scene.proxies.map((proxy) => proxy.tally())
    await body()
    return {
      commands: tallies.flatMap(({ labels }) => labels),
      roundTrips: tallies.reduce((sum, { flights }) => sum + flights, 0),
    }
  }

  test('acquire and release: one command and one round trip each', async () => {
    const hold = await lock.acquire()
    expect(await costOf(() => hold.release())).toEqual({ commands: ['release'], roundTrips: 1 })
    let again = hold
    expect(await costOf(async () => (again = await lock.acquire()))).toEqual({
      commands: ['acquire'],
      roundTrips: 1,
    })
    expect(await costOf(() => again.release())).toEqual({ commands: ['release'], roundTrips: 1 })
  })

  test('a label costs no command: neither its client nor who reads it sends one for it', async () => {
    const labelled = scene.holdfast({ label: 'web-1' }).lock(scene.name)
    await labelled.withLock(() => 0)
    const held: Hold[] = []
    const taking = await costOf(async () => held.push(await labelled.acquire()))
    expect(taking).toEqual({ commands: ['acquire'], roundTrips: 1 })
    const seen: LockState[] = []
    const looking = await costOf(async () => seen.push(await lock.inspect()))
    expect(looking).toEqual({ commands: ['inspect'], roundTrips: 1 })
    expect(seen[0]?.owners).toMatchObject([{ owner: held[0]?.owner, label: 'web-1' }])
    await held[0]?.release()
  })

  test('nested acquire and release: one each', async () => {
    await lock.withLock(async () => {
      let inner = await lock.acquire()
      await inner.release()
      expect(await costOf(async () => (inner = await lock.acquire()))).toEqual({
        commands: ['acquire'],
        roundTrips: 1,
      })
      expect(await costOf(() => inner.release())).toEqual({ commands: ['release'], roundTrips: 1 })
    })
  })

  test('a refusal: one of each', async () => {
    const hold = await lock.acquire()
    const other = scene.holdfast().lock(scene.name)
    await other.isLocked()
    expect(await costOf(() => other.tryAcquire())).toEqual({ commands: ['acquire'], roundTrips: 1 })
    await hold.release()
  })

  test('what asks nobody: nothing', async () => {
    const hold = await lock.acquire()
    const free = async (): Promise<void> => {
      hold.assertHeld()
      hold.remainingMs()
      holdfast.lock('another')
      holdfast.owner()
      await holdfast.run(() => 0)
    }
    expect(await costOf(free)).toEqual({ commands: [], roundTrips: 0 })
    await hold.release()
    expect(await costOf(() => hold.release())).toEqual({ commands: [], roundTrips: 0 })
  })
})
