import process from 'node:process'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { offers, required } from '../../base/packages/installed.js'
import type { Store } from '../../port/store.js'
import type { MysqlPool } from '../mysql/client.js'
import type { PgPool } from '../postgres/pg-connection.js'
import type { CoordinationAddress } from './coordination-address.js'
import { redisClientAt } from './redis-client.js'
import { type DatabaseAddress, parseServerUrl, presentAddress, type ServerAddress } from './server-address.js'

/** The part of pg, and of mysql2, that this uses. */
interface Pg {
  readonly Pool: new (options: { connectionString: string }) => PgPool
}
interface Mysql2 {
  createPool(url: string): MysqlPool
}

/**
 * The store at that URL, of the forms that the command line takes: see docs/cli.md. Without an argument the one that `HOLDFAST_URL` names,
 * or else a file of this user, as `new Holdfast()` has it. It connects on first use, and loads what it needs now: ioredis, pg or mysql2,
 * which must be installed.
 *
 * @throws InvalidArgumentError that shows no part of the URL; StoreError if something is not installed.
 */
export function storeAt(...given: [] | [url: string | URL]): Store {
  if (given.length === 0) return storeOf(presentAddress(), process.env['HOLDFAST_KEY_PREFIX'] ?? '')
  const [url] = given
  if (typeof url !== 'string' && !(url instanceof URL))
    throw new InvalidArgumentError(
      'url',
      url,
      'a URL; without an argument that of HOLDFAST_URL, or a file of this user',
    )
  return storeOf(parseServerUrl(String(url)), '')
}

/** How that store is used: with how many connections to a database, if not the usual; whether to look alone. */
interface Terms {
  readonly connections?: number
  readonly looks?: boolean
}

/** Loads and makes the store at that address, and no other. */
export function storeOf(address: ServerAddress, keyPrefix: string, terms: Terms = {}): Store {
  if ('endpoints' in address) {
    const { redis } = own<typeof import('../redis/index.js')>('redis', 'redis')
    return redis(redisClientAt(address, keyPrefix))
  }
  if (keyPrefix !== '') {
    const found = 'is set (by --key-prefix or HOLDFAST_KEY_PREFIX)'
    const accepted = 'none, because only names in Redis have one'
    throw new InvalidArgumentError('the key prefix', keyPrefix, accepted, { found })
  }
  return 'servers' in address ? coordinationAt(address) : databaseAt(address, terms)
}

function databaseAt({ kind, url }: DatabaseAddress, { looks = false, ...terms }: Terms): Store {
  switch (kind) {
    case 'postgres':
    case 'advisory': {
      const { Pool } = required('pg', offers<Pg>('Pool'), 'npm install pg')
      // The pool only says how to log in; Holdfast never uses it.
      const pool = new Pool({ connectionString: url })
      const stores = own<typeof import('../postgres/index.js')>('postgres', 'postgres', 'advisory')
      return kind === 'advisory' ? stores.advisory(pool) : stores.postgres(pool, terms)
    }
    case 'mysql':
    case 'get-lock': {
      const { createPool } = required('mysql2/promise', offers<Mysql2>('createPool'), 'npm install mysql2')
      const pool = createPool(url.replace(/^mariadb:/i, 'mysql:'))
      const stores = own<typeof import('../mysql/index.js')>('mysql', 'mysql', 'getLock')
      return kind === 'get-lock' ? stores.getLock(pool) : stores.mysql(pool, terms)
    }
    case 'sqlite': {
      const stores = own<typeof import('../sqlite/index.js')>('sqlite', 'sqlite', 'sqliteToLookAt')
      return looks ? stores.sqliteToLookAt(url) : stores.sqlite(url)
    }
  }
}

function coordinationAt({ kind, servers, tls, credentials, prefix, root }: CoordinationAddress): Store {
  switch (kind) {
    case 'etcd': {
      const { etcd } = own<typeof import('../etcd/index.js')>('etcd', 'etcd')
      return etcd({ hosts: servers, tls: tls ? {} : undefined, credentials, prefix })
    }
    case 'zookeeper': {
      const { zookeeper } = own<typeof import('../zookeeper/index.js')>('zookeeper', 'zookeeper')
      return zookeeper({ servers, tls, credentials, root })
    }
    case 'memcached': {
      const { memcached } = own<typeof import('../memcached/index.js')>('memcached', 'memcached')
      const login = credentials && { username: credentials.user, password: credentials.password }
      return memcached({ servers, tls, credentials: login })
    }
  }
}

/** Another way into this package, loaded now, so that no bundle has it which does not use it. */
function own<Module>(way: string, ...functions: ReadonlyArray<keyof Module & string>): Module {
  const module = `holdfast/${way}`
  const todo = `this program was bundled without it. Install holdfast beside the bundle, or import the store from ${module} and give it to new Holdfast()`
  return required(module, offers<Module>(...functions), todo)
}
