/** What only concerns node-redis. All else is shown by the other suites, which run with it: see setup/clients.ts. */
import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { type NodeRedisClient, type NodeRedisCluster, nodeRedis } from '../../src/stores/node-redis/index.js'
import { clientSettings } from '../../src/stores/redis/watchdog-thread/client-settings.js'
import { handOver } from '../connections/scenes.js'

const { host, port } = inject('servers').standalone
const made: Holdfast[] = []
afterEach(() => Promise.all(made.splice(0).map((holdfast) => holdfast.close())))

function holdfastOn(client: RedisClient): Holdfast {
  const holdfast = new Holdfast(client)
  made.push(holdfast)
  return holdfast
}

let names = 0
function lockName(): string {
  names += 1
  return `node-redis:${process.pid}:${names}`
}

/** As the versions have it in common. */
interface Library {
  createClient(
    options: object,
  ): NodeRedisClient & { readonly isOpen: boolean; connect(): Promise<unknown>; destroy(): void }
  createCluster(options: { rootNodes: object[]; RESP?: 2 | 3 }): NodeRedisCluster & { isOpen: boolean }
}

const versions: ReadonlyArray<{ version: string; library: Library }> = [
  { version: '5.9', library: oldest },
  { version: '5', library: redis5 },
  { version: '6', library: redis6 },
]

describe.each(versions)('node-redis $version', ({ library }) => {
  test.each([2, 3])(
    'C1: a client by URL, with RESP%i, is only read: locks exclude and wake; it is neither connected nor changed',
    async (RESP) => {
      const theirs = library.createClient({ url: `redis://${host}:${port}/2`, RESP, name: 'application' })
      const [one, other] = [holdfastOn(nodeRedis(theirs)), holdfastOn(nodeRedis(theirs))]
      const name = lockName()
      await handOver(one.lock(name), other.lock(name))
      expect(theirs.isOpen).toBe(false)
    },
  )

  test('C1: connections have the name of their role where the application names its own', async () => {
    const url = `redis://${host}:${port}/13`
    const theirs = library.createClient({ url, name: 'application' })
    await holdfastOn(nodeRedis(theirs)).lock(lockName()).acquire({ leaseMs: 60_000 })
    const operator = redis6.createClient({ url })
    await operator.connect()
    const connections = String(await operator.sendCommand(['CLIENT', 'LIST'])).split('\n')
    operator.destroy()
    expect(connections.filter((each) => each.includes(' db=13 ')).join()).toContain('name=holdfast-commands ')
  })

  test('C1: a client that is connected goes on when Holdfast has closed', async () => {
    const theirs = library.createClient({ socket: { host, port } })
    await theirs.connect()
    const holdfast = new Holdfast(nodeRedis(theirs))
    await holdfast.lock(lockName()).withLock(() => undefined)
    await holdfast.close()
    expect(theirs.isOpen).toBe(true)
    theirs.destroy()
  })

  test.each([2, 3] as const)(
    'C1: a cluster by URLs, some of them of nobody, with RESP%i, is only read',
    async (RESP) => {
      const { startupNodes } = inject('servers').cluster
      const rootNodes = [
        { url: 'redis://127.0.0.1:1' },
        ...startupNodes.map(({ host, port }) => ({ url: `redis://${host}:${port}` })),
      ]
      const theirs = library.createCluster({ rootNodes, RESP })
      await holdfastOn(nodeRedis(theirs))
        .lock(lockName())
        .withLock(() => undefined)
      expect(theirs.isOpen).toBe(false)
    },
  )

  test('one with a keyPrefix and one of ioredis with the same share their locks', async () => {
    const name = lockName()
    const client = (keyPrefix?: string): RedisClient =>
      nodeRedis(library.createClient({ socket: { host, port } }), { keyPrefix })
    const hold = await holdfastOn(client('app:')).lock(name).acquire()
    expect(await holdfastOn(client('app:')).lock(name).isLocked()).toBe(true)
    expect(await holdfastOn(client()).lock(`app:${name}`).isLocked()).toBe(true)
    expect(await holdfastOn(client()).lock(name).isLocked()).toBe(false)
    await hold.release()
  })

  test('what makes no sense for a lock is not taken over: types of replies, a limit of the queue, replicas', async () => {
    const theirs = library.createClient({
      socket: { host, port, reconnectStrategy: () => 1, socketTimeout: 1 },
      RESP: 3,
      commandOptions: { typeMapping: { 36: Buffer, 43: Buffer } },
      commandsQueueMaxLength: 1,
      disableOfflineQueue: true,
      pingInterval: 1,
    })
    const lock = holdfastOn(nodeRedis(theirs)).lock(lockName())
    await Promise.all(Array.from({ length: 5 }, () => lock.withLock(() => undefined)))
    const hold = await lock.acquire()
    expect(await lock.inspect()).toMatchObject({ owners: [{ owner: hold.owner, holds: 1 }] })
    await hold.release()
  })

  test('a watchdog thread is told how to reach the same server, or what it cannot be told', () => {
    const login = { username: 'user', password: 'secret' }
    const socket = { host: 'a', port: 7, tls: true, ca: 'certificate', connectTimeout: 5 }
    const client = nodeRedis(library.createClient({ socket, ...login, database: 3 }), { keyPrefix: 'app:' })
    expect(clientSettings(client)).toMatchObject({
      kind: 'standalone',
      options: { host: 'a', port: 7, tls: { ca: 'certificate' }, ...login, db: 3, keyPrefix: 'app:' },
    })
    const cluster = nodeRedis(library.createCluster({ rootNodes: [{ socket: { host: 'b', port: 8 } }] }))
    expect(clientSettings(cluster)).toMatchObject({ kind: 'cluster', startupNodes: [{ host: 'b', port: 8 }] })
    const asked = { type: 'async-credentials-provider', credentials: async () => ({ password: 'secret' }) }
    const withAsked = clientSettings(nodeRedis(library.createClient({ credentialsProvider: asked })))
    expect(JSON.stringify(withAsked)).not.toContain('credentials')
    const told = { type: 'streaming-credentials-provider', subscribe: async () => [{ password: 'secret' }] }
    const withTelling = nodeRedis(library.createClient({ credentialsProvider: told }))
    expect(() => clientSettings(withTelling)).toThrow('credentialsProvider')
  })
})

test('a Sentinel group whose options of node-redis 6 ask for what sentinels lack', async () => {
  const { sentinels, name } = inject('servers').sentinel
  const pattern = redis6.createClient({ RESP: 3, emitInvalidate: true })
  const holdfast = holdfastOn(nodeRedis(pattern, { sentinel: { name, sentinelRootNodes: sentinels } }))
  await holdfast.lock(lockName()).withLock(() => undefined)
})
