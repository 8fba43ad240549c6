import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Holdfast, HoldfastOptions } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { ask } from '../servers/admin.js'
import { bringCluster, type Cluster, type Server } from '../servers/index.js'
import { clusterClient, matrixLibraries } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { holdfasts } from './scenes.js'

/** Slots 3300, 7365 and 15495: one on each node. */
const NAMES = ['{b}', '{c}', '{a}']
const PATIENT: HoldfastOptions = { watchdogMs: 30_000, commandTimeoutMs: 1_000, storeTimeoutMs: 60_000 }

interface Client {
  readonly library: string
  readonly holdfast: Holdfast
}

const holdfastOn = holdfasts()

/** One of each library, as processes that know no more of each other than that. */
function clients(startupNodes: Cluster['startupNodes']): readonly Client[] {
  return matrixLibraries.map((library) => {
    return { library, holdfast: holdfastOn(clusterClient(startupNodes, {}, library), PATIENT) }
  })
}

/** Which of them cannot have a lock on every node, tried again and again. */
async function shutOut(all: readonly Client[], tags = NAMES): Promise<readonly string[]> {
  const left = new Set<string>()
  const tries = all.flatMap(({ library, holdfast }) =>
    tags.map(async (tag) => {
      const what = `${library} ${tag}`
      left.add(what)
      await holdfast.lock(`${tag}:${library}`).withLock({ waitMs: 15_000 }, () => left.delete(what))
    }),
  )
  await Promise.allSettled(tries)
  return [...left]
}

describe('the table of slots is wrong for a while', { timeout: 90_000 }, () => {
  const cluster = duringAll(() => bringCluster({ flavour: inject('servers').flavour, replicated: true }))

  /** Slots that no node serves: the cluster is down, and each node says so. */
  async function without(slots: readonly number[], body: () => Promise<void>): Promise<void> {
    const owners = new Map<Server, number[]>()
    for (const slot of slots) {
      const owner = cluster.nodes[Math.floor((slot * cluster.nodes.length) / 16_384)]
      if (owner) owners.set(owner, [...(owners.get(owner) ?? []), slot])
    }
    const every = (ask: (node: Server) => Promise<unknown>): Promise<unknown> =>
      Promise.all([...cluster.nodes, ...cluster.replicas].map(ask))
    await every((node) => ask(node, 'CLUSTER', 'DELSLOTS', ...slots))
    await every((node) => eventually(async () => (await info(node)).includes('cluster_state:fail')))
    try {
      await body()
    } finally {
      for (const [owner, owned] of owners) await ask(owner, 'CLUSTER', 'ADDSLOTS', ...owned)
      await every((node) => eventually(async () => (await info(node)).includes('cluster_state:ok')))
    }
  }

  test('faults E1: the cluster is down and comes back, and so does every shard, for who held and who begins', async () => {
    const before = clients(cluster.startupNodes)
    expect(await shutOut(before)).toEqual([])
    const holds = await Promise.all(
      before.map(({ library, holdfast }) => holdfast.lock(`{b}:held:${library}`).acquire()),
    )
    const during: Client[] = []
    await without(NAMES.map(slotOf), async () => {
      during.push(...clients(cluster.startupNodes))
      const asks = [...before, ...during].flatMap(({ holdfast }) =>
        NAMES.flatMap((tag) => [1, 2, 3].map((each) => holdfast.lock(`${tag}:${each}`).isLocked())),
      )
      for (const outcome of await Promise.allSettled(asks)) expect(outcome.status).toBe('rejected')
    })
    expect(await shutOut([...before, ...during])).toEqual([])
    for (const hold of holds) await hold.release()
  })

  test('faults E1, E2: a primary dies and its replica takes its place: each library finds it', async () => {
    const all = clients(cluster.startupNodes)
    expect(await shutOut(all)).toEqual([])
    const [primary] = cluster.nodes
    const [replica] = cluster.replicas
    await primary?.kill()
    await ask(replica, 'CLUSTER', 'FAILOVER', 'TAKEOVER')
    expect(await shutOut(all)).toEqual([])
  })
})

test('faults E1: a node that was forgotten knows nothing of the others: they are asked', async () => {
  // Else the others would not answer without its slots.
  const args = ['--cluster-require-full-coverage', 'no']
  const cluster = await bringCluster({ flavour: inject('servers').flavour, args })
  onTestFinished(() => cluster.stop())
  const [forgotten, ...others] = cluster.nodes
  const all = clients(cluster.startupNodes)
  const idOf = async (node: Server | undefined): Promise<string> => String(await ask(node, 'CLUSTER', 'MYID'))
  const id = await idOf(forgotten)
  for (const other of others) {
    await ask(other, 'CLUSTER', 'FORGET', id)
    await ask(forgotten, 'CLUSTER', 'FORGET', await idOf(other))
  }
  expect(await shutOut(all, NAMES.slice(1))).toEqual([])
})

async function info(node: Server): Promise<string> {
  return String(await ask(node, 'CLUSTER', 'INFO'))
}
