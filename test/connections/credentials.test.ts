import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import * as iovalkey from 'iovalkey'
import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type ClusterClient, Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { nodeRedis } from '../../src/stores/node-redis/index.js'
import { eventsOf } from '../fault/heard.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster, bringServer, type Server } from '../servers/index.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'

interface Login {
  username: string
  password: string
}

/** An application's client, which it gives another password from then on. */
interface Application {
  readonly client: RedisClient
  rotate(password: string): void
}

/** A client of each library for one server, and each way in which it may come by another password. */
const onServer: Readonly<Record<string, (server: Server, login: Login) => Application>> = {
  'ioredis 6': ({ host, port }, login) =>
    ofIoredis(new ioredis6.Redis({ host, port, ...login, lazyConnect: true })),
  'ioredis 6, a getter': ({ host, port }, login) => {
    const client = new ioredis6.Redis({ host, port, ...login, lazyConnect: true })
    let current = login.password
    Object.defineProperty(client.options, 'password', { get: () => current, enumerable: true })
    return {
      client,
      rotate: (password) => {
        current = password
      },
    }
  },
  'ioredis 5': ({ host, port }, login) =>
    ofIoredis(new ioredis5.Redis({ host, port, ...login, lazyConnect: true })),
  iovalkey: ({ host, port }, login) =>
    ofIoredis(new iovalkey.Redis({ host, port, ...login, lazyConnect: true })),
  'node-redis 6': ({ host, port }, login) => {
    const theirs = redis6.createClient({ ...login, RESP: 3 as const, socket: { host, port } })
    return ofOptions(nodeRedis(theirs), theirs.options)
  },
  'node-redis 6, a provider': ({ host, port }, { username, password }) => {
    let current = password
    const credentials = async (): Promise<Login> => ({ username, password: current })
    const credentialsProvider = { type: 'async-credentials-provider' as const, credentials }
    return {
      client: nodeRedis(redis6.createClient({ socket: { host, port }, credentialsProvider })),
      rotate: (next) => {
        current = next
      },
    }
  },
  'node-redis 5': ({ host, port }, login) => {
    const theirs = redis5.createClient({ ...login, socket: { host, port } })
    return ofOptions(nodeRedis(theirs), theirs.options)
  },
  'node-redis 5.9': ({ host, port }, login) => {
    const theirs = oldest.createClient({ ...login, socket: { host, port } })
    return ofOptions(nodeRedis(theirs), theirs.options)
  },
}

const inCluster: Readonly<Record<string, (nodes: Server[], login: Login) => Application>> = {
  'ioredis 6': (nodes, redisOptions) =>
    ofCluster(new ioredis6.Cluster(placesOf(nodes), { redisOptions, lazyConnect: true })),
  'ioredis 5': (nodes, redisOptions) =>
    ofCluster(new ioredis5.Cluster(placesOf(nodes), { redisOptions, lazyConnect: true })),
  iovalkey: (nodes, redisOptions) =>
    ofCluster(new iovalkey.Cluster(placesOf(nodes), { redisOptions, lazyConnect: true })),
  'node-redis 6': (nodes, defaults) => {
    const rootNodes = placesOf(nodes).map((socket) => ({ socket }))
    return ofOptions(nodeRedis(redis6.createCluster({ rootNodes, defaults })), defaults)
  },
}

function placesOf(nodes: readonly Server[]): { host: string; port: number }[] {
  return nodes.map(({ host, port }) => ({ host, port }))
}

function ofIoredis(client: RedisClient): Application {
  return ofOptions(client, client.options)
}

function ofCluster(client: ClusterClient): Application {
  return ofOptions(client, client.options.redisOptions)
}

function ofOptions(client: RedisClient, options: object | undefined): Application {
  return { client, rotate: (password) => void Object.assign(Object(options), { password }) }
}

/** Holds a lock and waits for another behind a holder, gets a new password, and has all its connections cut. */
async function outlives(
  servers: readonly Server[],
  make: (login: Login) => Application,
  options: HoldfastOptions = {},
): Promise<void> {
  const username = `app-${Math.random().toString(36).slice(2)}`
  const everywhere = (...words: string[]): Promise<unknown> =>
    Promise.all(
      servers.map((server) => withAdmin(server, (command) => command(words[0] ?? '', ...words.slice(1)))),
    )
  await everywhere('ACL', 'SETUSER', username, 'on', '>old', '~*', '&*', '+@all')
  const { client, rotate } = make({ username, password: 'old' })
  client.on('error', () => undefined)
  const holdfast = new Holdfast(client, { watchdogMs: 9_000, commandTimeoutMs: 1_000, ...options })
  onTestFinished(async () => {
    await holdfast.close()
    if (client.status !== 'wait') client.disconnect()
  })
  const names = ['{b}', '{c}', '{a}'].map((tag) => `${tag}:${username}`)
  const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
  const waits = names.map((name) => later(holdfast.lock(name).acquire()))
  const connections = async (): Promise<number> =>
    String(await everywhere('CLIENT', 'LIST')).split(`user=${username} `).length
  const before = await connections()
  await everywhere('ACL', 'SETUSER', username, 'resetpass', '>new')
  rotate('new')
  await everywhere('CLIENT', 'KILL', 'USER', username)
  const heard = names.map((name) => eventsOf(holdfast, ['renewed', 'lost'], name))
  await eventually(() => heard.every(({ length }) => length > 0))
  expect(new Set(heard.flat())).toEqual(new Set(['renewed']))
  // That of the thread too: this one would renew in its place.
  if (servers.length === 1) await eventually(connections, (now) => now >= before)
  await Promise.all(holds.map((hold) => hold.release()))
  for (const wait of waits) await (await wait).release()
}

/** Which of them do not outlive it. */
async function each<Make>(
  makes: Readonly<Record<string, Make>>,
  outlive: (make: Make) => Promise<void>,
): Promise<readonly string[]> {
  const outcomes = Object.entries(makes).map(([what, make]) =>
    outlive(make).then(
      () => [],
      (error: unknown) => [`${what}: ${error}`],
    ),
  )
  return (await Promise.all(outcomes)).flat()
}

test('faults B2: a password is rotated: each new connection has that of the application’s client', async () => {
  const server = await bringServer({ flavour: inject('servers').flavour, args: [] })
  onTestFinished(() => server.stop())
  expect(await each(onServer, (make) => outlives([server], (login) => make(server, login)))).toEqual([])
})

test('faults B2: the thread that renews has it too', async () => {
  const server = await bringServer({ flavour: inject('servers').flavour, args: [] })
  onTestFinished(() => server.stop())
  const failed = await each(onServer, (make) =>
    outlives([server], (login) => make(server, login), { watchdogThread: true }),
  )
  expect(failed).toEqual([])
})

test.each([{}, { watchdogThread: true }])(
  'faults B2: so have the nodes of a cluster (%j)',
  async (options) => {
    const cluster = await bringCluster({ flavour: inject('servers').flavour })
    onTestFinished(() => cluster.stop())
    const nodes = [...cluster.nodes]
    expect(await each(inCluster, (make) => outlives(nodes, (login) => make(nodes, login), options))).toEqual(
      [],
    )
  },
)
