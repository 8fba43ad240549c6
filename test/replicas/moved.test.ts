import { Redis } from 'ioredis5'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { slotOf } from '../../src/redis/connection/slot.js'
import { bringCluster, type Cluster } from '../servers/index.js'
import { clusterClient } from '../setup/clients.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await bringCluster({ flavour: inject('servers').flavour })
})
afterAll(() => cluster.stop())

/** Gives an empty slot to another node; returns when all of them know. */
async function move(slot: number, to: number): Promise<void> {
  const nodes = cluster.nodes.map(({ host, port }) => new Redis({ host, port }))
  const id = await nodes[to]?.call('CLUSTER', 'MYID')
  for (const node of [nodes[to], ...nodes]) await node?.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(id))
  for (const node of nodes) node.disconnect()
}

test('checkReplicas asks the node where the lock is now, after its slot has moved', async () => {
  const client = clusterClient(cluster.startupNodes)
  const holdfast = new Holdfast(client, { checkReplicas: 1, replicasTimeoutMs: 20 })
  const lock = holdfast.lock('moves')
  for (const node of [0, 1, 2, 0]) {
    // No node has a replica, so that an answer of the right one is a shortfall.
    expect(await rejectionOf(lock.tryAcquire())).toMatchObject({ reason: 'replicas' })
    // A slot must be empty to be moved so.
    await client.call('DEL', 'holdfast_replicas:{moves}')
    await move(slotOf('moves'), node)
  }
  expect(await lock.isLocked()).toBe(false)
  await holdfast.close()
  client.disconnect()
})
