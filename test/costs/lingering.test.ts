import { beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const LONG_MS = 20_000
const stages = [
  { where: 'RESP3', open: () => Scene.counted('ioredis-6') },
  { where: 'RESP2', open: () => Scene.counted('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
]

/** Design section 7: again and again by one process, nothing while nobody else asks. */
describe.each(stages)('costs of a lock that lingers ($where)', ({ open }) => {
  let holdfast: Holdfast
  let lock: Lock

  const scene = duringEach(() => open())
  beforeEach(async () => {
    holdfast = scene.holdfast({ lingerMs: LONG_MS })
    lock = holdfast.lock(scene.name)
    await stays(lock)
  })

  async function stays(of: Lock): Promise<void> {
    await eventually(async () => {
      await of.withLock(() => undefined)
      return (await of.inspect()).lingering
    })
  }

  async function commandsOf(body: () => Promise<unknown>): Promise<readonly string[]> {
    const tallies = scene.proxies.map((proxy) => proxy.tally())
    await body()
    return tallies.flatMap(({ labels }) => labels)
  }

  test('sections: no command, but one now and then that asks whether the store still has the lock', async () => {
    const rounds = 2_000
    const commands = await commandsOf(async () => {
      for (let round = 0; round < rounds; round += 1) await lock.withLock(() => undefined)
    })
    // One in 250 ms, or in 1024 sections.
    expect(commands.length).toBeLessThan(rounds / 20)
    expect(new Set(commands)).toEqual(new Set(commands.length > 0 ? ['handOver'] : []))
  })

  test('with a lease of its own, or a token: one each', async () => {
    const leased = (): Promise<unknown> => lock.withLock({ leaseMs: LONG_MS }, () => undefined)
    // The server is to know the script.
    await leased()
    expect(await commandsOf(leased)).toEqual(['handOver'])
    const fenced = holdfast.fencedLock(scene.name)
    await stays(fenced)
    expect(await commandsOf(() => fenced.withLock(() => undefined))).toEqual(['handOver'])
  })

  test('W9: a look: one command where nobody may keep it, or its own process does; else a message and up to six', async () => {
    const other = scene.holdfast().lock(scene.name)
    const look = (): Promise<unknown> => other.isLocked()
    // It connects.
    await other.isHeld(holdfast.owner())
    expect(await commandsOf(() => lock.isLocked())).toEqual(['inspect'])
    expect(await lock.inspect()).toMatchObject({ lingering: true })
    expect(await commandsOf(() => other.isHeld(holdfast.owner()))).toEqual(['inspect'])
    const hold = await lock.acquire()
    const asked = await commandsOf(look)
    expect(asked.filter((label) => label.endsWith('PUBLISH'))).toHaveLength(1)
    expect(asked.filter((label) => label === 'inspect').length).toBeLessThanOrEqual(6)
    await hold.release()
    await eventually(() => holdfast.census.tenures === 0)
    const plain = await other.acquire()
    expect(await commandsOf(() => lock.isLocked())).toEqual(['inspect'])
    await plain.release()
    expect(await commandsOf(look)).toEqual(['inspect'])
  })

  test('asked for by another process: the three commands that two sections have on their own', async () => {
    const other = scene.holdfast().lock(scene.name)
    // Has its process listen, and take its place with its first question.
    const [held, waiting] = [await lock.acquire(), other.acquire()]
    await eventually(async () => (await lock.countWaitingClients()) === 1)
    await held.release()
    await (await waiting).release()
    await stays(lock)
    const commands = await commandsOf(async () => (await other.acquire()).release())
    expect([...commands].sort()).toEqual(['acquire', 'release', 'release'])
  })
})
