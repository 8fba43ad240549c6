import { beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, Lock, LockState } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'

const stages = [
  { where: 'RESP3', open: () => Scene.counted('ioredis-6') },
  { where: 'RESP2', open: () => Scene.counted('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, RESP2', open: () => Scene.cluster('ioredis-5') },
  { where: 'cluster, iovalkey', open: () => Scene.cluster('iovalkey') },
]

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

  /** What is sent for it: one command, in a round trip. */
  async function costs(command: string, body: () => Promise<unknown>): Promise<void> {
    expect(await costOf(body)).toEqual({ commands: [command], roundTrips: 1 })
  }

  async function costOf(body: () => Promise<unknown>) {
    const tallies = scene.proxies.map((proxy) => proxy.tally())
    await body()
    return {
      commands: tallies.flatMap(({ labels }) => labels),
      roundTrips: tallies.reduce((sum, { flights }) => sum + flights, 0),
    }
  }

  test('acquire and release, nested too: one command and one round trip each', async () => {
    const twice = async (): Promise<void> => {
      let hold = await lock.acquire()
      await costs('release', () => hold.release())
      await costs('acquire', async () => (hold = await lock.acquire()))
      await costs('release', () => hold.release())
    }
    await twice()
    await lock.withLock(twice)
  })

  test('a label costs no command: neither its client nor who reads it sends one for it', async () => {
    const labelled = scene.holdfast({ label: 'web-1' }).lock(scene.name)
    await labelled.withLock(() => 0)
    await costs('acquire', () => labelled.acquire())
    const seen: LockState[] = []
    await costs('inspect', async () => seen.push(await lock.inspect()))
    expect(seen[0]?.owners).toMatchObject([{ label: 'web-1' }])
  })

  test('a refusal: one of each', async () => {
    await lock.acquire()
    const other = scene.holdfast().lock(scene.name)
    await other.isLocked()
    await costs('acquire', () => other.tryAcquire())
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
