import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { Holdfast, type Lock, type RedisClient } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster, type Cluster, type Server } from '../servers/index.js'
import { clusterClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

/** Who waits for the end of this was not woken. */
const LEASE_MS = 60_000
const WOKEN_WITHIN_MS = 10_000

describe.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
  'H12: a slot changes its node while a call waits (%s)',
  (library) => {
    let cluster: Cluster
    let clients: RedisClient[]
    let made: Holdfast[]
    beforeEach(async () => {
      cluster = await bringCluster({ flavour: inject('servers').flavour, replicated: true })
      clients = []
      made = []
    }, 60_000)
    afterEach(async () => {
      await Promise.all(made.map((holdfast) => holdfast.close()))
      for (const client of clients) client.disconnect()
      await cluster.stop()
    })

    /** Another process's lock, in effect. */
    function lock(name: string): Lock {
      const client = clusterClient(cluster.startupNodes, {}, library)
      clients.push(client)
      const holdfast = new Holdfast(client, { commandTimeoutMs: 2_000 })
      made.push(holdfast)
      return holdfast.lock(name)
    }

    function nodes(): readonly Server[] {
      return [...cluster.nodes, ...cluster.replicas]
    }

    /** How many are subscribed at that node. */
    async function subscribers(node: Server | undefined, name: string): Promise<number> {
      const channel = `redisson_lock__channel:${name}`
      const told = await on(node, 'PUBSUB', 'SHARDNUMSUB', channel)
      return Array.isArray(told) ? Number(told[1]) : 0
    }

    async function failOver(): Promise<Server | undefined> {
      const [replica] = cluster.replicas
      await on(replica, 'CLUSTER', 'FAILOVER')
      for (const node of nodes()) {
        await eventually(async () => isPrimary(String(await on(node, 'CLUSTER', 'NODES')), replica))
      }
      return replica
    }

    async function moveSlot(name: string): Promise<Server | undefined> {
      const slot = slotOf(name)
      const [from, to] = cluster.nodes
      const [fromId, toId] = [
        String(await on(from, 'CLUSTER', 'MYID')),
        String(await on(to, 'CLUSTER', 'MYID')),
      ]
      await on(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
      await on(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
      const keys = await on(from, 'CLUSTER', 'GETKEYSINSLOT', slot, 100)
      for (const key of Array.isArray(keys) ? keys.map(String) : [])
        await on(from, 'MIGRATE', '127.0.0.1', to?.port ?? 0, key, 0, 5_000)
      for (const node of [to, from, cluster.nodes[2]])
        await on(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId)
      return to
    }

    test.each([
      { how: 'a failover', change: () => failOver() },
      { how: 'a slot that is moved', change: (name: string) => moveSlot(name) },
    ])(
      '$how: it is woken by the release, and so is the next',
      async ({ change }) => {
        // Slot 3300, on the first node.
        const name = `{b}:${process.pid}:${Date.now()}`
        const [first, second, third] = [lock(name), lock(name), lock(name)]
        const hold = await first.acquire({ leaseMs: LEASE_MS })
        const waiting = second.acquire()
        await eventually(async () => (await subscribers(cluster.nodes[0], name)) === 1)
        const home = await change(name)
        const releasedAt = performance.now()
        await hold.release()
        const next = await waiting
        expect(performance.now() - releasedAt).toBeLessThan(WOKEN_WITHIN_MS)
        // Whoever has waited since before, with its subscription where it was moved to.
        const waitingStill = third.acquire()
        await eventually(async () => (await subscribers(home, name)) >= 1)
        const releasedAgainAt = performance.now()
        await next.release()
        await (await waitingStill).release()
        expect(performance.now() - releasedAgainAt).toBeLessThan(WOKEN_WITHIN_MS)
      },
      90_000,
    )

    test.each([
      { how: 'a failover', change: () => failOver() },
      { how: 'a slot that is moved', change: (name: string) => moveSlot(name) },
    ])(
      '$how: its subscription follows though nothing is released',
      async ({ change }) => {
        const name = `{b}:${process.pid}:${Date.now()}`
        const hold = await lock(name).acquire({ leaseMs: LEASE_MS })
        const waiting = lock(name).acquire()
        await eventually(async () => (await subscribers(cluster.nodes[0], name)) === 1)
        const home = await change(name)
        await eventually(async () => (await subscribers(home, name)) === 1)
        const releasedAt = performance.now()
        await hold.release()
        await (await waiting).release()
        expect(performance.now() - releasedAt).toBeLessThan(WOKEN_WITHIN_MS)
      },
      90_000,
    )
  },
)

async function on(node: Server | undefined, name: string, ...words: (string | number)[]): Promise<unknown> {
  if (!node) throw new Error('no such node')
  return await withAdmin(node, (command) => command(name, ...words))
}

/** Whether those who know the cluster so take that node for a primary. */
function isPrimary(known: string, node: Server | undefined): boolean {
  return known.split('\n').some((line) => line.includes(`:${node?.port}@`) && /[ ,]master[ ,]/.test(line))
}
