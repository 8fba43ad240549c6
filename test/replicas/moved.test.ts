import { Redis } from 'ioredis5'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { bringCluster, type Cluster } from '../servers/index.js'
import { clusterClient } from '../setup/clients.js'
import { SlotMove } from './slot-move.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await bringCluster({ flavour: inject('servers').flavour })
})
afterAll(() => cluster.stop())

test('checkReplicas asks the node where the lock is now, after its slot has moved', async () => {
  const client = clusterClient(cluster.startupNodes)
  const nodes = cluster.nodes.map(({ host, port }) => new Redis({ host, port }))
  const holdfast = new Holdfast(client, { checkReplicas: 1, replicasTimeoutMs: 20 })
  const lock = holdfast.lock('moves')
  for (let moves = 0; moves < 4; moves += 1) {
    // No node has a replica, so that an answer of the right one is a shortfall.
    expect(await rejectionOf(lock.tryAcquire())).toMatchObject({ reason: 'replicas' })
    await (await SlotMove.of('moves', nodes)).finish()
  }
  expect(await lock.isLocked()).toBe(false)
  await holdfast.close()
  client.disconnect()
  for (const node of nodes) node.disconnect()
})
