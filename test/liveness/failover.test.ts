/**
 * Another server takes the primary's place while every kind of waiter waits, and what they wait for is given back at once: the rows on
 * failovers of the table "Until a waiter is woken" in docs/guarantees.md.
 */
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { RespProxy } from '../fault/proxy.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster, bringSentinel, bringServer, type Server } from '../servers/index.js'
import { untilFollows } from '../servers/replication.js'
import { clusterClient, type MatrixLibrary, sentinelClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { kinds, sleepers } from './contended.js'
import { tenures } from './tenures.js'

/** Far below the lease that the holders have. */
const WOKEN_WITHIN_MS = 15_000
/** Slot 3300, on the first node of a cluster. */
const NAME = '{b}'

/** Servers of which one can take another's place, without loss. */
interface Group {
  connect(library: MatrixLibrary): RedisClient
  /** Those where waiters may be subscribed. */
  readonly nodes: () => readonly Server[]
  failOver(): Promise<void>
  stop(): Promise<void>
}

const groups: Readonly<Record<string, () => Promise<Group>>> = {
  'a Sentinel group': async () => {
    const group = await bringSentinel({ flavour: inject('servers').flavour })
    return {
      connect: (library) => sentinelClient(group, library),
      nodes: () => [group.primary],
      failOver: () => group.failover(),
      stop: () => group.stop(),
    }
  },
  'a cluster': async () => {
    const cluster = await bringCluster({ flavour: inject('servers').flavour, replicated: true })
    const [primary] = cluster.nodes
    const [replica] = cluster.replicas
    if (!primary || !replica) throw new Error('a master and its replica')
    return {
      connect: (library) => clusterClient(cluster.startupNodes, {}, library),
      nodes: () => cluster.nodes,
      failOver: async () => {
        await withAdmin(replica, async (command) => {
          await command('CLUSTER', 'FAILOVER')
          await eventually(async () => String(await command('ROLE')).startsWith('master'))
        })
      },
      stop: () => cluster.stop(),
    }
  },
  'a name that leads to another server': async () => {
    const { flavour } = inject('servers')
    const primary = await bringServer({ flavour, args: [] })
    const replica = await bringServer({ flavour, args: ['--replicaof', primary.host, String(primary.port)] })
    const name = await RespProxy.before(primary)
    return {
      connect: (library) => standaloneClient({ host: name.host, port: name.port }, library),
      nodes: () => [primary],
      failOver: async () => {
        await untilFollows(replica, primary)
        name.redirect(replica)
        await withAdmin(replica, (command) => command('REPLICAOF', 'NO', 'ONE'))
        await primary.kill()
      },
      stop: async () => {
        await name.stop()
        await Promise.all([primary.stop(), replica.stop()])
      },
    }
  },
}

describe.each(Object.entries(groups))('W7: %s fails over', { timeout: 90_000 }, (_, bring) => {
  let group: Group
  beforeEach(async () => {
    group = await bring()
  }, 90_000)
  afterEach(() => group.stop())

  test('faults E, W7: every kind is kept through it by who has it, and goes to the next after it', async () => {
    const fleet = (['ioredis-6', 'node-redis-6'] as const).flatMap((library) => {
      const [holder, rival] = [holdfast(library), holdfast(library)]
      return Object.entries(tenures).map(([kind, begin]) => ({ kind, library, holder, rival, begin }))
    })
    const begun = await Promise.all(
      fleet.map(async ({ kind, library, holder, rival, begin }) => {
        const { check, end } = await begin(holder, `${NAME}:${kind}:${library}`)
        return { what: `${kind} with ${library}`, check: () => check(rival), end: () => end(rival) }
      }),
    )
    await group.failOver()
    const undone = begun.map(async ({ what, check, end }) => {
      try {
        await check()
        await end()
        return []
      } catch (error) {
        return [`${what}: ${error}`]
      }
    })
    expect((await Promise.all(undone)).flat()).toEqual([])
  })

  function holdfast(library: MatrixLibrary): Holdfast {
    const client = group.connect(library)
    const made = new Holdfast(client, { commandTimeoutMs: 2_000, storeTimeoutMs: 60_000 })
    onTestFinished(async () => {
      await made.close()
      client.disconnect()
    })
    return made
  }

  /** How many channels have subscribers. */
  async function channels(): Promise<number> {
    let found = 0
    for (const node of group.nodes()) {
      for (const kind of ['CHANNELS', 'SHARDCHANNELS']) {
        const told = await withAdmin(node, (command) => command('PUBSUB', kind, `*${NAME}*`))
        found += Array.isArray(told) ? told.length : 0
      }
    }
    return found
  }

  test.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
    'every kind of waiter is woken long before the lease ends (%s)',
    async (library) => {
      const holder = holdfast(library)
      const { free, allWoken } = await sleepers(holder, holdfast(library), NAME)
      await eventually(channels, (found) => found >= kinds.length - 1)
      await group.failOver()
      await free()
      await allWoken(WOKEN_WITHIN_MS)
    },
  )
})
