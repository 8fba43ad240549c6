/** Rings of three real processes over three locks. */
import { Cluster, Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { slotOf } from '../../src/redis/connection/slot.js'
import { Forked } from '../redisson/forked.js'
import { bringServer, type Server } from '../servers/index.js'
import { eventually } from '../setup/eventually.js'
import { heard, labels, type Place, ringOfProcesses } from './members.js'

let rings = 0
const freshNames = (): string[] => {
  rings += 1
  return [0, 1, 2].map((index) => `ring:${process.pid}:${Date.now()}:${rings}:${index}`)
}

afterEach(() => Forked.killAll())

describe.each(['standalone', 'cluster'] as const)('three processes (%s)', (where) => {
  let place: Place
  let direct: Redis | Cluster

  beforeAll(() => {
    const { standalone, cluster } = inject('servers')
    place =
      where === 'cluster'
        ? { servers: cluster.startupNodes, cluster: true }
        : { servers: [standalone], cluster: false }
    direct = where === 'cluster' ? new Cluster(cluster.startupNodes) : new Redis({ ...standalone })
  })
  afterAll(() => direct.disconnect())

  async function left(names: readonly string[]): Promise<string[]> {
    const nodes = direct instanceof Cluster ? direct.nodes('master') : [direct]
    const found: string[] = []
    for (const node of nodes) for (const name of names) found.push(...(await node.keys(`*${name}*`)))
    return found
  }

  test('K2: the cycle is named within two seconds, with labels; all are told, and go on waiting', async () => {
    const names = freshNames()
    if (where === 'cluster') expect(new Set(names.map(slotOf)).size).toBe(3)
    const { processes, since } = await ringOfProcesses(place, names)
    const telling = processes.map((each) => heard(each, 'deadlock'))
    await Promise.race(telling)
    // The others look again within a second: test/deadlock/virtual-time.test.ts.
    expect(performance.now() - since).toBeLessThan(2_000)
    const words = await Promise.all(telling)
    for (const { labels: told, names: ways } of words) {
      expect([...told].sort()).toEqual([...labels].sort())
      expect([...ways].sort()).toEqual(names.map((name, index) => `${name} > ${names[(index + 1) % 3]}`))
    }
    expect((await left(names)).filter((key) => key.startsWith('holdfast_edges:'))).toHaveLength(3)
  })

  test('K4, K5: with onDeadlock reject one gives way, the others get both, and nothing is left', async () => {
    const names = freshNames()
    const { processes } = await ringOfProcesses(place, names, { onDeadlock: 'reject' })
    const ends = await Promise.all(processes.map((each) => heard(each, 'ended')))
    expect(ends.map((end) => end.with).sort()).toEqual(['DEADLOCK', 'both', 'both'])
    await Promise.all(processes.map((each) => each.ended()))
    expect((await left(names)).filter((key) => key.includes('edges'))).toEqual([])
    for (const name of names) expect(await direct.exists(name)).toBe(0)
  })

  test('K3, K5: the edge of a process that was killed makes no cycle, and is gone with its time', async () => {
    const names = freshNames()
    const { processes } = await ringOfProcesses(place, names, { watchdogMs: 1_000, onDeadlock: 'report' })
    const [victim, ...others] = processes
    if (!victim) throw new Error('there are three')
    await heard(victim, 'deadlock')
    await victim.kill()
    // Its lock ends with its lease; then the one that waited for it has both, then the other.
    const ends = await Promise.all(others.map((each) => heard(each, 'ended')))
    expect(ends.map((end) => end.with)).toEqual(['both', 'both'])
    await eventually(
      async () => (await left(names)).filter((key) => key.includes('edges')),
      (keys) => keys.length === 0,
    )
  })
})

describe('a server that restarts meanwhile', () => {
  let server: Server
  beforeAll(async () => {
    server = await bringServer({ flavour: inject('servers').flavour })
  })
  afterAll(() => server.stop())

  test('K2: loses nothing with its data, and the ring is named all the same', async () => {
    const names = freshNames()
    const place = { servers: [{ host: server.host, port: server.port }], cluster: false }
    const { processes } = await ringOfProcesses(place, names, { commandTimeoutMs: 500, watchdogMs: 20_000 })
    await server.restart({ keepData: true })
    const words = await Promise.all(processes.map((each) => heard(each, 'deadlock')))
    for (const { labels: told } of words) expect([...told].sort()).toEqual([...labels].sort())
  })
})
