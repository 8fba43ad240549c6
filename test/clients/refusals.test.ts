/** What people pass for a client, and the line that they are told to write instead. */

import { once } from 'node:events'
import { Redis as Upstash } from '@upstash/redis'
import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide'
import { Redis } from 'ioredis'
import RedisMock from 'ioredis-mock'
import Redis4 from 'ioredis4'
import { createConnection } from 'mysql2'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import * as redis6 from 'redis'
import { createClient as createClient3 } from 'redis3'
import { createClient as createClient4 } from 'redis4'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { nodeRedis } from '../../src/stores/node-redis/index.js'
import { postgres as postgresStore } from '../../src/stores/postgres/index.js'
import { redis } from '../../src/stores/redis/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'

const rootNodes = [{ socket: { host: '127.0.0.1', port: 1 } }]
const sentinel = { name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }
const importLine = "import { nodeRedis } from 'holdfast/node-redis'"

const { host, port } = inject('servers').standalone
const lazy = { addresses: [{ host, port }], lazyConnect: true }
const glide = await GlideClient.createClient(lazy)
const glideCluster = await GlideClusterClient.createClient(lazy)
afterAll(() => glide.close())
afterAll(() => glideCluster.close())
const client3 = createClient3({ host, port })
// It throws if it is ended while it checks the server.
await once(client3, 'ready')
afterAll(() => client3.end(true))

// Nobody listens there.
const connection = createConnection({ host: '127.0.0.1', port: 1, password: 'secret' })
connection.on('error', () => undefined)
afterAll(() => connection.destroy())

/** What the versions have in common. */
interface Library {
  createClient(): unknown
  createCluster(options: { rootNodes: object[] }): unknown
  createSentinel(options: typeof sentinel): unknown
}
const libraries: readonly Library[] = [redis6, redis5, oldest]

const nodeRedisClient = [importLine, 'new Holdfast(nodeRedis(client))']
const memoryStore = ["import { MemoryStore } from 'holdfast/memory'", 'new Holdfast(new MemoryStore())']

const found: ReadonlyArray<readonly [what: string, value: unknown, ...says: string[]]> = [
  ...libraries.flatMap(
    ({ createClient, createCluster, createSentinel }, no) =>
      [
        [`createClient (${no})`, createClient(), 'a client of node-redis', ...nodeRedisClient],
        [`createCluster (${no})`, createCluster({ rootNodes }), 'a client of node-redis', ...nodeRedisClient],
        [
          `createSentinel (${no})`,
          createSentinel(sentinel),
          'a Sentinel client',
          importLine,
          'nodeRedis(createClient(nodeClientOptions), { sentinel: options })',
        ],
      ] as const,
  ),
  [
    'createClientPool',
    redis6.createClientPool(),
    'a pool of node-redis',
    importLine,
    'nodeRedis(createClient(options))',
  ],
  ['node-redis 4', createClient4(), 'for node-redis 4 install redis 5.9 or later', ...nodeRedisClient],
  ['node-redis 3', client3, 'for node-redis 3 install redis 5.9 or later', ...nodeRedisClient],
  [
    '@upstash/redis',
    new Upstash({ url: 'https://example.upstash.io', token: 'secret-token', enableTelemetry: false }),
    ...['HTTP', "import { Redis } from 'ioredis'", "new Holdfast(new Redis('rediss://…'))"],
  ],
  ['ioredis 4', new Redis4({ lazyConnect: true }), 'for ioredis 4 install ioredis 5.4 or later'],
  ['ioredis-mock', new RedisMock(), 'keeps no time', ...memoryStore],
  ['ioredis-mock, a cluster', new RedisMock.Cluster([{ host: '127.0.0.1', port: 6379 }]), ...memoryStore],
  ['@valkey/valkey-glide', glide, "import { Redis } from 'iovalkey'", 'new Holdfast(new Redis(address))'],
  [
    '@valkey/valkey-glide, a cluster',
    glideCluster,
    ...["import { Cluster } from 'iovalkey'", 'new Holdfast(new Cluster(addresses))'],
  ],
  ['a plain object', {}, 'an object of Object', 'new Holdfast(new Redis())'],
  [
    'a URL',
    'redis://127.0.0.1',
    ...['is a URL;', "import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))"],
  ],
  [
    'a Pool of pg',
    new pg.Pool({ password: 'secret' }),
    "import { postgres } from 'holdfast/postgres' and write new Holdfast(postgres(pool))",
  ],
  [
    'sql of postgres',
    postgres({ password: 'secret' }),
    "import { postgres } from 'holdfast/postgres' and write new Holdfast(postgres(sql))",
  ],
  [
    'a pool of mysql2',
    createPool({ password: 'secret' }),
    "import { mysql } from 'holdfast/mysql' and write new Holdfast(mysql(pool))",
  ],
  [
    'a Client of pg',
    new pg.Client({ password: 'secret' }),
    ...["import { postgres } from 'holdfast/postgres'", 'new Holdfast(postgres(new pg.Pool(options)))'],
  ],
  [
    'a connection of mysql2',
    connection,
    ...["import { mysql } from 'holdfast/mysql'", 'new Holdfast(mysql(createPool(options)))'],
  ],
  ['a promise', Promise.resolve({ password: 'secret' }), 'that is a promise: write await before it'],
  [
    'an array',
    [{ password: 'secret' }],
    "import { quorum } from 'holdfast' and write new Holdfast(quorum(clients))",
  ],
  ['nothing', undefined, 'undefined', 'a client of ioredis'],
]

/** The error of a call with what the types forbid. */
function refusalOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgumentError)
    return String(error)
  }
  throw new Error('it was not refused')
}

describe('what is no client says what it is, and which line to write instead', () => {
  test.each(found)('%s', (_, value, ...says) => {
    for (const text of [
      refusalOf(() => Reflect.construct(Holdfast, [value])),
      refusalOf(() => Reflect.apply(redis, undefined, [value])),
    ]) {
      for (const part of says) expect(text).toContain(part)
      expect(text).not.toContain('secret')
    }
  })

  test.each(found.filter(([what]) => !/^create(Client|Cluster) /.test(what)))('nodeRedis(): %s', (_, value) =>
    expect(refusalOf(() => Reflect.apply(nodeRedis, undefined, [value]))).toContain(
      'a client of node-redis 5 or 6',
    ),
  )

  /** The stores that take another client than that, and what each says of it. */
  test.each<[store: string, make: (given: never) => unknown, takes: RegExp]>([
    ['postgres', postgresStore, /^(a (Pool|Client) of pg|sql of postgres)$/],
    ['mysql', mysql, /mysql2$/],
    ['sqlite', sqlite, /^$/],
  ])('%s(): another library’s client', (_, make, takes) => {
    const others = found.filter(
      ([what]) => !takes.test(what) && !/^(a plain object|a URL|an array|nothing)$/.test(what),
    )
    expect(others.length).toBeGreaterThan(15)
    for (const [what, value, ...says] of [
      ...others,
      ['ioredis', new Redis({ lazyConnect: true }), 'write new Holdfast(client)'] as const,
    ]) {
      const text = refusalOf(() => Reflect.apply(make, undefined, [value]))
      for (const part of says) expect(text, what).toContain(part)
      expect(text).not.toContain('secret')
    }
  })

  test('sqlite(): a URL would be a folder that is named by the password', () => {
    for (const file of ['redis://user:secret@host', 'postgres://user:secret@host/database']) {
      const text = refusalOf(() => Reflect.apply(sqlite, undefined, [file]))
      expect(text).toContain("import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))")
      expect(text).not.toContain('secret')
    }
  })

  test('options alone, without a store', () => {
    const text = refusalOf(() => Reflect.construct(Holdfast, [undefined, { watchdogMs: 3_000 }]))
    expect(text).toContain(
      "import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(), options)",
    )
  })

  test.each<[object, string]>([
    [{ prefix: 'x' }, 'keyPrefix, sentinel'],
    [{ keyPrefix: 5 }, 'keyPrefix is a number'],
    [{ sentinel: { sentinelRootNodes: [{ host: 'a', port: 1 }] } }, 'sentinel.name'],
    [{ sentinel: { name: 'main' } }, 'sentinel.sentinelRootNodes'],
    [{ sentinel: { name: 'main', sentinelRootNodes: [{}] } }, 'sentinel.sentinelRootNodes'],
  ])('nodeRedis(): options that are none: %j', (options, says) => {
    const told = refusalOf(() => Reflect.apply(nodeRedis, undefined, [redis6.createClient(), options]))
    expect(told).toContain(says)
  })

  test('nodeRedis(): a Sentinel group for a client of a cluster', () => {
    const cluster = redis6.createCluster({ rootNodes })
    const told = refusalOf(() => Reflect.apply(nodeRedis, undefined, [cluster, { sentinel }]))
    expect(told).toContain('sentinel')
  })
})
