import { describe, expect, inject, test } from 'vitest'
import type { Lock } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { ask } from '../servers/admin.js'
import { bringCluster, type Server } from '../servers/index.js'
import { clientLibraries, clusterClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { holdfasts, LEASE_MS } from './scenes.js'

const WOKEN_WITHIN_MS = 10_000

describe.each(clientLibraries)('H12: a slot changes its node while a call waits (%s)', (library) => {
  const bring = () => bringCluster({ flavour: inject('servers').flavour, replicated: true })
  const cluster = duringEach(bring, 60_000)

  const holdfastOn = holdfasts()
  function lock(name: string): Lock {
    const client = clusterClient(cluster.startupNodes, {}, library)
    return holdfastOn(client, { commandTimeoutMs: 2_000 }).lock(name)
  }

  async function subscribers(node: Server | undefined, name: string): Promise<number> {
    const told = await ask(node, 'PUBSUB', 'SHARDNUMSUB', `redisson_lock__channel:${name}`)
    return Array.isArray(told) ? Number(told[1]) : 0
  }

  async function failOver(): Promise<Server | undefined> {
    const [replica] = cluster.replicas
    await ask(replica, 'CLUSTER', 'FAILOVER')
    const isPrimary = new RegExp(`:${replica?.port}@.*[ ,]master[ ,]`)
    for (const node of [...cluster.nodes, ...cluster.replicas])
      await eventually(async () => isPrimary.test(String(await ask(node, 'CLUSTER', 'NODES'))))
    return replica
  }

  async function moveSlot(name: string): Promise<Server | undefined> {
    const slot = slotOf(name)
    const [from, to] = cluster.nodes
    const toId = String(await ask(to, 'CLUSTER', 'MYID'))
    await ask(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await ask(from, 'CLUSTER', 'MYID')))
    await ask(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
    const keys = await ask(from, 'CLUSTER', 'GETKEYSINSLOT', slot, 100)
    for (const key of Array.isArray(keys) ? keys.map(String) : [])
      await ask(from, 'MIGRATE', '127.0.0.1', to?.port ?? 0, key, 0, 5_000)
    for (const node of [to, from, cluster.nodes[2]]) await ask(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId)
    return to
  }

  test.each(
    [
      { how: 'a failover', change: () => failOver() },
      { how: 'a slot that is moved', change: (name: string) => moveSlot(name) },
    ].flatMap((each) => [
      { ...each, when: 'at once', follows: false },
      { ...each, when: 'when its subscription has followed, though nothing was released', follows: true },
    ]),
  )(
    '$how: it is woken by the release $when, and so is the next',
    async ({ change, follows }) => {
      // Slot 3300, on the first node.
      const name = `{b}:${process.pid}:${Date.now()}`
      const [first, second, third] = [lock(name), lock(name), lock(name)]
      const hold = await first.acquire({ leaseMs: LEASE_MS })
      const waiting = second.acquire()
      await eventually(async () => (await subscribers(cluster.nodes[0], name)) === 1)
      const home = await change(name)
      if (follows) await eventually(async () => (await subscribers(home, name)) === 1)
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
})
