import { Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
import { NOTHING } from '../fault/scene.js'
import { bringCluster, bringSentinel, type Cluster, type SentinelGroup } from '../servers/index.js'
import { clusterClient, sentinelClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

const { flavour } = inject('servers')
const patient: HoldfastOptions = { watchdogMs: 12_000, commandTimeoutMs: 500, storeTimeoutMs: 30_000 }
const made: { holdfast: Holdfast; client: RedisClient }[] = []
let names = 0

function holdfastOn(client: RedisClient): Holdfast {
  const holdfast = new Holdfast(client, patient)
  made.push({ holdfast, client })
  return holdfast
}

function lockName(): string {
  names += 1
  return `failover:${process.pid}:${names}`
}

/** Every client is idle: what it held and awaited is over and tidied up. */
async function untilIdle(): Promise<void> {
  for (const { holdfast } of made) {
    await eventually(
      () => JSON.stringify(holdfast.census),
      (census) => census === JSON.stringify(NOTHING),
    )
  }
}

afterEach(async () => {
  for (const { holdfast, client } of made.splice(0)) {
    await holdfast.close()
    client.disconnect()
  }
})

describe('a Sentinel group fails over', { timeout: 60_000 }, () => {
  let group: SentinelGroup
  beforeAll(async () => {
    group = await bringSentinel({ flavour })
  })
  afterAll(() => group.stop())

  test.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
    'with a holder and a waiter: the one keeps the lock, the other gets it next (%s)',
    async (library) => {
      const connect = (): Holdfast => holdfastOn(sentinelClient(group, library))
      const name = lockName()
      const holder = connect()
      const heard = eventsOf(holder, ['renewed', 'lost'])
      const hold = await holder.lock(name).acquire()
      const waiter = connect()
      const waiting = waiter.lock(name).acquire()
      await eventually(async () => (await waiter.lock(name).countWaitingClients()) === 1)
      await replicated(group)
      await group.failover()
      await eventually(() => heard.includes('renewed'), Boolean, 20_000)
      expect(heard).not.toContain('lost')
      hold.assertHeld()
      expect(await read(group.primary, 'HGETALL', name)).toEqual([
        hold.owner,
        '1',
        'since',
        expect.any(String),
      ])
      // The waiter's own connection may still be on its way to the new primary.
      await eventually(
        async () =>
          (await waiter
            .lock(name)
            .countWaitingClients()
            .catch(() => 'not yet')) === 1,
      )
      await hold.release()
      const next = await waiting
      expect(await read(group.primary, 'HGETALL', name)).toEqual([
        next.owner,
        '1',
        'since',
        expect.any(String),
      ])
      await next.release()
      expect(await read(group.primary, 'EXISTS', name)).toBe(0)
      await untilIdle()
    },
  )
})

describe('a node of a cluster restarts', { timeout: 60_000 }, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await bringCluster({ flavour })
  })
  afterAll(() => cluster.stop())

  test.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
    'with holders and waiters on every node: who holds keeps the lock, who waits gets it next (%s)',
    async (library) => {
      const connect = (): Holdfast => holdfastOn(clusterClient(cluster.startupNodes, {}, library))
      const holder = connect()
      const waiter = connect()
      const prefix = lockName()
      // Slots 3300, 7365 and 15495: one on each node.
      const locks = ['b', 'c', 'a'].map((tag) => `{${tag}}:${prefix}`)
      const holds = await Promise.all(locks.map((name) => holder.lock(name).acquire()))
      const waits = locks.map((name) => waiter.lock(name).acquire())
      const watched = () => Promise.all(locks.map((name) => waiter.lock(name).countWaitingClients()))
      await eventually(async () => String(await watched()) === '1,1,1')
      const heard = locks.map((name) => eventsOf(holder, ['renewed', 'lost'], name))
      await cluster.nodes[0]?.restart({ keepData: true })
      await eventually(() => heard.every((events) => events.includes('renewed')), Boolean, 20_000)
      expect(new Set(heard.flat())).toEqual(new Set(['renewed']))
      for (const hold of holds) hold.assertHeld()
      await eventually(
        async () => String(await watched().catch(() => 'not yet')) === '1,1,1',
        Boolean,
        20_000,
      )
      await Promise.all(holds.map((hold) => hold.release()))
      await Promise.all(waits.map(async (wait) => (await wait).release()))
      await untilIdle()
    },
  )
})

interface Endpoint {
  readonly host: string
  readonly port: number
}

async function read({ host, port }: Endpoint, command: string, ...words: string[]): Promise<unknown> {
  const client = new Redis({ host, port })
  try {
    return await client.call(command, ...words)
  } finally {
    client.disconnect()
  }
}

/** Waits until the replica has everything the primary has: only then may nothing be lost. */
async function replicated({ primary, replica }: SentinelGroup): Promise<void> {
  const offset = async (server: Endpoint, field: string): Promise<string | undefined> =>
    new RegExp(`${field}:(\\d+)`).exec(String(await read(server, 'INFO', 'replication')))?.[1]
  const wanted = Number(await offset(primary, 'master_repl_offset'))
  await eventually(async () => Number(await offset(replica, 'slave_repl_offset')) >= wanted)
}
