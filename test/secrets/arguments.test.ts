/** Whatever is given where something else belongs: the refusal says of which type it is and what to write, and never what it holds. */

import { Redis } from 'ioredis'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, test } from 'vitest'
import { LockClient } from '../../src/client/index.js'
import * as holdfast from '../../src/index.js'
import { instrument } from '../../src/integrations/otel/index.js'
import { expose } from '../../src/integrations/prometheus/index.js'
import { Service } from '../../src/integrations/service/service.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { getLock, mysql } from '../../src/stores/mysql/index.js'
import { nodeRedis } from '../../src/stores/node-redis/index.js'
import { advisory, postgres } from '../../src/stores/postgres/index.js'
import { redis } from '../../src/stores/redis/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { rowLock, transactionLock, updateVersioned } from '../../src/transactions/index.js'
import { Marker, rejection } from '../setup/marker.js'

const { Holdfast, HoldfastError, quorum } = holdfast

const client = new Holdfast(new MemoryStore())
const lock = client.lock('invoice')
afterAll(() => client.close())

/** Where secrets are: in words, in URLs, in options under every name, behind getters, in clients. */
function secretsOf({ text }: Marker): Readonly<Record<string, unknown>> {
  const url = `redis://app:${text}@127.0.0.1:6379`
  const login = { username: text, user: text, password: text, token: text, auth: text }
  return {
    'a word': text,
    'a URL': url,
    'a URL object': new URL(url),
    bytes: Buffer.from(text),
    'a symbol': Symbol(text),
    'a function': Object.defineProperty(() => text, 'name', { value: text }),
    'a list': [url, text],
    'a map': new Map([[text, text]]),
    options: { host: '127.0.0.1', port: 6379, ...login },
    'options with a URL': { url, uri: url, connectionString: url, ...login },
    'options that have a name': { [text.slice(0, 4)]: text, [`${text}: no word`]: text },
    'a getter': {
      get password() {
        return text
      },
    },
    'an object that shows it': { toString: () => text, toJSON: () => text, [Symbol.toPrimitive]: () => text },
    'a client of ioredis': new Redis({ lazyConnect: true, password: text }),
    'a pool of pg': new pg.Pool({ password: text, connectionString: url }),
    'a pool of mysql2': createPool({ user: text, password: text }),
    'an error': Object.assign(new Error(text), { name: text, config: login }),
  }
}

type Call = readonly [target: unknown, method: string, ...params: unknown[]]

/** Every way in, with a secret where something else belongs. */
function callsWith(it: unknown): readonly Call[] {
  const pool = new pg.Pool()
  const connect = (): Promise<never> => Promise.reject(new Error('nobody connects'))
  const servers = { servers: ['127.0.0.1:1'] }
  const inDatabases = { postgres, advisory, mysql, getLock, sqlite }
  const made = { ...inDatabases, redis, quorum, nodeRedis, etcd, zookeeper, memcached }
  return [
    ...Object.keys(made).map((each): Call => [made, each, it]),
    [{ Holdfast }, 'new Holdfast', it],
    [{ Holdfast }, 'new Holdfast', new MemoryStore(), it],
    [{ LockClient }, 'new LockClient', it],
    [{ Service }, 'new Service', it, console],
    [made, 'quorum', [it, it, it]],
    [made, 'postgres', pool, it],
    [made, 'postgres', pool, { table: it }],
    [made, 'mysql', { connect, table: it }],
    [made, 'mysql', { connect: it }],
    [made, 'sqlite', { path: it, mode: it }],
    [made, 'etcd', { hosts: it }],
    [made, 'etcd', { hosts: [it], credentials: it }],
    [made, 'etcd', { hosts: ['127.0.0.1:1'], tls: it }],
    [made, 'etcd', { hosts: ['127.0.0.1:1'], credentials: { user: it, password: it } }],
    [made, 'etcd', { hosts: ['127.0.0.1:1'], credentials: { user: 'app', password: it } }],
    [made, 'zookeeper', { servers: it }],
    [made, 'zookeeper', { ...servers, credentials: it }],
    [made, 'zookeeper', { ...servers, credentials: { user: 'app', password: it } }],
    [made, 'zookeeper', { ...servers, credentials: { user: it, password: 'x' } }],
    [made, 'zookeeper', { ...servers, root: it, tls: it, acl: it }],
    [made, 'memcached', { servers: it }],
    [made, 'memcached', { servers: [it] }],
    [made, 'memcached', { ...servers, credentials: it }],
    [made, 'memcached', { ...servers, credentials: { username: 'app', password: it } }],
    [made, 'memcached', { ...servers, credentials: { username: it, password: 'x y' } }],
    [made, 'memcached', { ...servers, tls: it }],
    [{ instrument }, 'instrument', client, { client: it, groupOf: it }],
    [{ expose }, 'expose', client, { client: it, groupOf: it, registry: new Registry() }],
    [client, 'lock', 'invoice', it],
    [client, 'spinLock', 'invoice', { factor: it }],
    [client, 'stripedLock', 'invoice', it],
    [client, 'multiLock', it],
    [client, 'multiLock', [it]],
    [client, 'job', 'invoice', it, it],
    [client, 'computeOnce', 'invoice', it, it],
    [client, 'computeOnce', 'invoice', () => 1, it],
    [client, 'leader', 'invoice', it],
    [client, 'run', it],
    [client, 'close', it],
    [client, 'checkSequencer', it],
    [lock, 'acquire', it],
    [lock, 'acquire', { signal: it }],
    [lock, 'acquire', { owner: it }],
    [lock, 'acquire', { onLost: it, waitMs: it, leaseMs: it }],
    [lock, 'withLock', it],
    [lock, 'withLock', {}, it],
    [lock, 'adopt', it],
    [lock, 'adopt', it, it],
    [lock, 'isHeld', it],
    [client.semaphore('permits'), 'acquire', { permits: it }],
    [client.permitExpirableSemaphore('permits'), 'release', it],
    [client.countDownLatch('latch'), 'trySetCount', it],
    [client.guardedValue('value'), 'set', it, it],
    [{ transactionLock }, 'transactionLock', it, 'invoice'],
    [{ rowLock }, 'rowLock', it, it],
    [{ updateVersioned }, 'updateVersioned', it, { table: 'a', key: { b: 1 } }, () => undefined],
    [{ updateVersioned }, 'updateVersioned', pool, it, it],
  ]
}

async function called([target, method, ...params]: Call): Promise<unknown> {
  const made = /^new (.+)$/.exec(method)?.[1]
  const found: unknown = Reflect.get(Object(target), made ?? method)
  if (typeof found !== 'function') throw new Error(`there is no ${method}`)
  return await rejection(() =>
    made === undefined ? Reflect.apply(found, target, params) : Reflect.construct(found, params),
  )
}

describe('faults A2: a secret where something else belongs is not told', () => {
  test.each(Object.keys(secretsOf(new Marker())))('%s', async (what) => {
    const marker = new Marker()
    let refused = 0
    for (const call of callsWith(secretsOf(marker)[what])) {
      const error = await called(call)
      if (error === undefined) continue
      refused += 1
      marker.expectNone(error, `${call[1]}(${call.length - 2})`)
      expect(error, call[1]).toBeInstanceOf(HoldfastError)
    }
    expect(refused).toBeGreaterThan(30)
  })
})
