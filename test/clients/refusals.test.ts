/** What people pass for a client, and the line that they are told to write instead. */

import { once } from 'node:events'
import { Redis as Upstash } from '@upstash/redis'
import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide'
import RedisMock from 'ioredis-mock'
import Redis4 from 'ioredis4'
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
import { nodeRedis } from '../../src/stores/node-redis/index.js'
import { redis } from '../../src/stores/redis/index.js'

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

/** What the versions have in common. */
interface Library {
  createClient(): unknown
  createCluster(options: { rootNodes: object[] }): unknown
  createSentinel(options: typeof sentinel): unknown
}
const libraries: readonly Library[] = [redis6, redis5, oldest]

const found: ReadonlyArray<{ what: string; value: unknown; says: readonly string[] }> = [
  ...libraries.flatMap(({ createClient, createCluster, createSentinel }, index) => [
    {
      what: `createClient (${index})`,
      value: createClient(),
      says: ['a client of node-redis', importLine, 'new Holdfast(nodeRedis(client))'],
    },
    {
      what: `createCluster (${index})`,
      value: createCluster({ rootNodes }),
      says: ['a client of node-redis', importLine, 'new Holdfast(nodeRedis(client))'],
    },
    {
      what: `createSentinel (${index})`,
      value: createSentinel(sentinel),
      says: [
        'a Sentinel client',
        importLine,
        'nodeRedis(createClient(nodeClientOptions), { sentinel: options })',
      ],
    },
  ]),
  {
    what: 'createClientPool',
    value: redis6.createClientPool(),
    says: ['a pool of node-redis', importLine, 'nodeRedis(createClient(options))'],
  },
  {
    what: 'node-redis 4',
    value: createClient4(),
    says: ['for node-redis 4 install redis 5.9 or later', importLine, 'new Holdfast(nodeRedis(client))'],
  },
  {
    what: '@upstash/redis',
    value: new Upstash({ url: 'https://example.upstash.io', token: 'secret-token', enableTelemetry: false }),
    says: ['HTTP', "import { Redis } from 'ioredis'", "new Holdfast(new Redis('rediss://…'))"],
  },
  {
    what: 'node-redis 3',
    value: client3,
    says: ['for node-redis 3 install redis 5.9 or later', importLine, 'new Holdfast(nodeRedis(client))'],
  },
  {
    what: 'ioredis 4',
    value: new Redis4({ lazyConnect: true }),
    says: ['for ioredis 4 install ioredis 5.4 or later'],
  },
  {
    what: 'ioredis-mock',
    value: new RedisMock(),
    says: [
      'keeps no time',
      "import { MemoryStore } from 'holdfast/memory'",
      'new Holdfast(new MemoryStore())',
    ],
  },
  {
    what: 'ioredis-mock, a cluster',
    value: new RedisMock.Cluster([{ host: '127.0.0.1', port: 6379 }]),
    says: ["import { MemoryStore } from 'holdfast/memory'", 'new Holdfast(new MemoryStore())'],
  },
  {
    what: '@valkey/valkey-glide',
    value: glide,
    says: ["import { Redis } from 'iovalkey'", 'new Holdfast(new Redis(address))'],
  },
  {
    what: '@valkey/valkey-glide, a cluster',
    value: glideCluster,
    says: ["import { Cluster } from 'iovalkey'", 'new Holdfast(new Cluster(addresses))'],
  },
  { what: 'a plain object', value: {}, says: ['an object of Object', 'new Holdfast(new Redis())'] },
  {
    what: 'a URL',
    value: 'redis://127.0.0.1',
    says: ['is a URL;', "import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))"],
  },
  {
    what: 'a Pool of pg',
    value: new pg.Pool({ password: 'secret' }),
    says: ["import { postgres } from 'holdfast/postgres' and write new Holdfast(postgres(pool))"],
  },
  {
    what: 'sql of postgres',
    value: postgres({ password: 'secret' }),
    says: ["import { postgres } from 'holdfast/postgres' and write new Holdfast(postgres(sql))"],
  },
  {
    what: 'a pool of mysql2',
    value: createPool({ password: 'secret' }),
    says: ["import { mysql } from 'holdfast/mysql' and write new Holdfast(mysql(pool))"],
  },
  { what: 'nothing', value: undefined, says: ['undefined', 'a client of ioredis'] },
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
  test.each(found)('$what', ({ value, says }) => {
    const told = [
      refusalOf(() => Reflect.construct(Holdfast, [value])),
      refusalOf(() => Reflect.apply(redis, undefined, [value])),
    ]
    for (const text of told) {
      for (const part of says) expect(text).toContain(part)
      expect(text).not.toContain('secret')
    }
  })

  test.each(found.filter(({ what }) => !/^create(Client|Cluster) /.test(what)))(
    'nodeRedis(): $what',
    ({ value }) => {
      expect(refusalOf(() => Reflect.apply(nodeRedis, undefined, [value]))).toContain(
        'a client of node-redis 5 or 6',
      )
    },
  )

  test('nodeRedis(): options that are none', () => {
    const client = redis6.createClient()
    const wrong = (options: unknown): string =>
      refusalOf(() => Reflect.apply(nodeRedis, undefined, [client, options]))
    expect(wrong({ prefix: 'x' })).toContain('keyPrefix, sentinel')
    expect(wrong({ keyPrefix: 5 })).toContain('keyPrefix is a number')
    expect(wrong({ sentinel: { sentinelRootNodes: [{ host: 'a', port: 1 }] } })).toContain('sentinel.name')
    expect(wrong({ sentinel: { name: 'main' } })).toContain('sentinel.sentinelRootNodes')
    expect(wrong({ sentinel: { name: 'main', sentinelRootNodes: [{}] } })).toContain(
      'sentinel.sentinelRootNodes',
    )
    const cluster = redis6.createCluster({ rootNodes })
    expect(refusalOf(() => Reflect.apply(nodeRedis, undefined, [cluster, { sentinel }]))).toContain(
      'sentinel',
    )
  })
})
