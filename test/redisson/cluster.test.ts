/** Redisson's lock tests in a cluster. */
import { setTimeout } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, type Lock } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster, bringServer, type Cluster, type Server } from '../servers/index.js'
import { freePort } from '../servers/port.js'
import { clusterClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { tidiedPlace } from '../setup/places.js'
import { UnguardedCounter } from './unguarded-counter.js'

const place = tidiedPlace('cluster')
/** A section of each kind, nested once. */
const kinds: ReadonlyArray<readonly [string, (holdfast: Holdfast, name: string) => readonly [Lock, Lock]]> = [
  ['lock', (holdfast, name) => [holdfast.lock(name), holdfast.lock(name)]],
  ['spin lock', (holdfast, name) => [holdfast.spinLock(name), holdfast.spinLock(name)]],
  [
    'read-write lock',
    (holdfast, name) => {
      const both = holdfast.readWriteLock(name)
      return [both.writeLock(), both.readLock()]
    },
  ],
]

test.each(kinds)('testInCluster: a %s of every node excludes, counts and wakes', async (_kind, locksOf) => {
  const holdfasts = [place.holdfast(), place.holdfast(), place.holdfast()]
  const names = Array.from({ length: 12 }, () => place.lockName())
  const nodes = new Set(names.map((name) => Math.floor(slotOf(name) / (16_384 / 3))))
  await Promise.all(
    names.map(async (name) => {
      const counter = new UnguardedCounter(place.client(), name)
      const turns = Array.from({ length: 9 }, async (_, turn) => {
        const holdfast = holdfasts[turn % holdfasts.length]
        await holdfast?.run(async () => {
          const [outer, inner] = locksOf(holdfast, name)
          await outer.lock()
          await inner.lock()
          expect(await inner.isHeld()).toBe(true)
          await counter.section()
          await inner.unlock()
          await outer.unlock()
        })
      })
      await Promise.all(turns)
      expect(await counter.read()).toEqual({ value: 9, overlaps: 0 })
    }),
  )
  expect([...nodes].sort()).toEqual([0, 1, 2])
})

/** Gives the cluster's first master a replica that will take its place, soon after it has gone. */
async function addReplica(cluster: Cluster): Promise<Server> {
  const bus = await freePort()
  const replica = await bringServer({
    flavour: inject('servers').flavour,
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
      ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '1500'],
    ],
  })
  const [master] = cluster.nodes
  if (!master) throw new Error('a cluster has nodes')
  for (const node of cluster.nodes) {
    await withAdmin(node, async (command) => {
      await command('CONFIG', 'SET', 'cluster-node-timeout', 1500)
      await command('CLUSTER', 'MEET', replica.host, replica.port, bus)
    })
  }
  const id = String(await withAdmin(master, (command) => command('CLUSTER', 'MYID')))
  await withAdmin(replica, async (command) => {
    await eventually(async () => String(await command('CLUSTER', 'NODES')).includes(`${id} `))
    await eventually(
      () => command('CLUSTER', 'REPLICATE', id).catch(String),
      (answer) => answer === 'OK',
    )
    await eventually(async () =>
      String(await command('INFO', 'replication')).includes('master_link_status:up'),
    )
  })
  // Only what every master knows of can be elected.
  for (const node of cluster.nodes) {
    await withAdmin(node, (command) =>
      eventually(async () => String(await command('CLUSTER', 'NODES')).includes(`slave ${id}`)),
    )
  }
  return replica
}

test('testLockFailoverInCluster: 30 rounds of tryLock and unlock go on while a master is replaced', async () => {
  const cluster = await bringCluster({ flavour: inject('servers').flavour })
  onTestFinished(() => cluster.stop())
  const replica = await addReplica(cluster)
  onTestFinished(() => replica.stop())
  const client = clusterClient(cluster.startupNodes)
  onTestFinished(async () => client.disconnect())
  const holdfast = new Holdfast(client, { commandTimeoutMs: 1_000, storeTimeoutMs: 20_000 })
  onTestFinished(() => holdfast.close())

  // Names of all three masters, those of the one that goes among them.
  const names = Array.from({ length: 30 }, (_, index) => `failover:${index}`)
  const moved = names.filter((name) => slotOf(name) < 5_461)
  expect(moved.length).toBeGreaterThan(3)
  const [master] = cluster.nodes
  let obtained = 0
  for (const [index, name] of names.entries()) {
    if (index === 3) await master?.kill()
    await holdfast.run(async () => {
      const lock = holdfast.lock(name)
      if (await lock.tryLock({ waitMs: 20_000 })) obtained += 1
      await setTimeout(20)
      expect(await lock.isHeld()).toBe(true)
      await lock.unlock()
    })
  }
  expect(obtained).toBe(30)
  const role = await withAdmin(replica, (command) => command('ROLE'))
  expect(role).toEqual(expect.arrayContaining(['master']))
}, 90_000)
