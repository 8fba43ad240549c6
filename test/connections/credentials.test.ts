import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { type NodeRedisClient, nodeRedis } from '../../src/stores/node-redis/index.js'
import { eventsOf } from '../fault/heard.js'
import { ask } from '../servers/admin.js'
import { bringCluster, bringServer, type Server } from '../servers/index.js'
import { clientLibraries, clusterClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { later, rejection } from '../setup/later.js'

interface Login {
  username: string
  password: string
}

/** An application's client, which it gives another password from then on. */
interface Application {
  readonly client: RedisClient
  rotate(password: string): void
}

function rotating(client: RedisClient, options: object | undefined): Application {
  return { client, rotate: (password) => void Object.assign(Object(options), { password }) }
}

function rotatingTheirs(client: NodeRedisClient & { readonly options?: object | undefined }): Application {
  return rotating(nodeRedis(client), client.options)
}

/** A client of each library for one server, and each way in which it may come by another password. */
const onServer: Readonly<Record<string, (server: Server, login: Login) => Application>> = {
  ...Object.fromEntries(
    clientLibraries.map((library) => [
      library,
      ({ host, port }: Server, login: Login) => {
        const client = standaloneClient({ host, port, ...login }, library)
        return rotating(client, client.options)
      },
    ]),
  ),
  'ioredis 6, a getter': ({ host, port }, login) => {
    const client = standaloneClient({ host, port, ...login }, 'ioredis-6')
    const current = { ...login }
    Object.defineProperty(client.options, 'password', { get: () => current.password, enumerable: true })
    return rotating(client, current)
  },
  'node-redis 6': ({ host, port }, login) =>
    rotatingTheirs(redis6.createClient({ ...login, RESP: 3, socket: { host, port } })),
  'node-redis 6, a provider': ({ host, port }, login) => {
    const current = { ...login }
    const credentials = async (): Promise<Login> => ({ ...current })
    const credentialsProvider = { type: 'async-credentials-provider' as const, credentials }
    return rotating(nodeRedis(redis6.createClient({ socket: { host, port }, credentialsProvider })), current)
  },
  'node-redis 5': ({ host, port }, login) =>
    rotatingTheirs(redis5.createClient({ ...login, socket: { host, port } })),
  'node-redis 5.9': ({ host, port }, login) =>
    rotatingTheirs(oldest.createClient({ ...login, socket: { host, port } })),
}

const inCluster: Readonly<Record<string, (nodes: readonly Server[], login: Login) => Application>> = {
  ...Object.fromEntries(
    clientLibraries.map((library) => [
      library,
      (nodes: readonly Server[], redisOptions: Login) => {
        const client = clusterClient(placesOf(nodes), { redisOptions }, library)
        return rotating(client, client.options.redisOptions)
      },
    ]),
  ),
  'node-redis 6': (nodes, defaults) => {
    const rootNodes = placesOf(nodes).map((socket) => ({ socket }))
    return rotating(nodeRedis(redis6.createCluster({ rootNodes, defaults })), defaults)
  },
}

function placesOf(nodes: readonly Server[]): { host: string; port: number }[] {
  return nodes.map(({ host, port }) => ({ host, port }))
}

/** Holds a lock and waits for another behind a holder, gets a new password, and has all its connections cut. */
async function outlives(
  servers: readonly Server[],
  make: (login: Login) => Application,
  options: HoldfastOptions = {},
): Promise<void> {
  const username = `app-${Math.random().toString(36).slice(2)}`
  const everywhere = (name: string, ...words: string[]): Promise<unknown> =>
    Promise.all(servers.map((server) => ask(server, name, ...words)))
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

async function each<Make>(
  makes: Readonly<Record<string, Make>>,
  outlive: (make: Make) => Promise<void>,
): Promise<readonly string[]> {
  const errors = await Promise.all(
    Object.entries(makes).map(async ([what, make]) => {
      const error = await rejection(() => outlive(make))
      return error === undefined ? [] : [`${what}: ${error}`]
    }),
  )
  return errors.flat()
}

describe.each([{}, { watchdogThread: true }])(
  'faults B2: a password is rotated: each new connection has that of the application’s client, that of the thread that renews too (%j)',
  (options) => {
    test('to a server', async () => {
      const server = await bringServer({ flavour: inject('servers').flavour, args: [] })
      onTestFinished(() => server.stop())
      expect(
        await each(onServer, (make) => outlives([server], (login) => make(server, login), options)),
      ).toEqual([])
    })

    test('to the nodes of a cluster', async () => {
      const { nodes, stop } = await bringCluster({ flavour: inject('servers').flavour })
      onTestFinished(stop)
      const failed = await each(inCluster, (make) => outlives(nodes, (login) => make(nodes, login), options))
      expect(failed).toEqual([])
    })
  },
)
