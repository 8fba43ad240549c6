import pg from 'pg'
import { quorum, type RedisClient, type Store } from '../../src/index.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { type MysqlConnection, mysql } from '../../src/stores/mysql/index.js'
import { checkMysqlOptions } from '../../src/stores/mysql/options.js'
import { mysqlRows } from '../../src/stores/mysql/rows.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { checkPostgresOptions } from '../../src/stores/postgres/options.js'
import { pgConnections } from '../../src/stores/postgres/pg-connection.js'
import { postgresRows } from '../../src/stores/postgres/rows.js'
import type { Rows } from '../../src/stores/rows/rows.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { checkSqliteOptions } from '../../src/stores/sqlite/options.js'
import { sqliteRows } from '../../src/stores/sqlite/store.js'
import { zookeeper } from '../../src/stores/zookeeper/index.js'
import { account } from '../servers/sql/product.js'
import type { Route } from './order.js'
import { redisClients } from './redis-clients.js'

const clients = await redisClients()

/** What a `Holdfast` is made from, at the end of a route. */
export function storeAt(route: Route): { store: RedisClient | Store; disconnect(): void } {
  const alone = (store: Store) => ({ store, disconnect: () => undefined })
  switch (route.to) {
    case 'standalone':
      return at(clients.standalone(route.server, route.protocol))
    case 'cluster':
      return at(clients.cluster(route.nodes, route.natMap))
    case 'sentinel':
      return at(clients.sentinel(route.sentinels, route.name, route.natMap))
    case 'postgres': {
      const pool = poolAt(route)
      return { store: postgres(pool), disconnect: () => void pool.end() }
    }
    case 'mysql':
      return alone(mysql({ connect: connectAt(route) }))
    case 'sqlite':
      return alone(sqlite(route.path))
    case 'memcached':
      return alone(memcached({ servers: [`${route.server.host}:${route.server.port}`] }))
    case 'etcd':
      return alone(etcd({ hosts: route.hosts }))
    case 'zookeeper':
      return alone(zookeeper({ servers: route.servers, root: route.root }))
    case 'quorum': {
      const members = route.members.map((member) => quiet(clients.standalone(member, 2)))
      const disconnect = (): void => {
        for (const member of members) member.disconnect()
      }
      return { store: quorum(members, { restartGuardMs: route.restartGuardMs }), disconnect }
    }
  }
}

/** The rows that a database keeps, as the operator may see them; undefined where there is none. */
export function rowsAt(route: Route): Rows | undefined {
  if (route.to === 'postgres') return postgresRows(pgConnections(poolAt(route)), checkPostgresOptions({}))
  if (route.to === 'mysql') return mysqlRows(checkMysqlOptions({ connect: connectAt(route) }))
  return route.to === 'sqlite' ? sqliteRows(checkSqliteOptions(route.path)) : undefined
}

/** It never opens a connection itself. */
function poolAt({ server, user, password }: Route & { to: 'postgres' }): pg.Pool {
  return new pg.Pool({ ...server, user, password, database: account.database })
}

/** The libraries are loaded where they are used: a worker is to start quickly. */
export function connectAt(
  { library, server, user, password }: Route & { to: 'mysql' },
  more: { readonly connectTimeout?: number } = {},
) {
  const options = { ...server, user, password, database: account.database, ...more }
  return async (): Promise<MysqlConnection> => {
    if (library === 'mysql2') return await (await import('mysql2/promise')).createConnection(options)
    const { createConnection } = await import('mariadb')
    return await createConnection({ ...options, allowPublicKeyRetrieval: true })
  }
}

function at(client: RedisClient): { store: RedisClient; disconnect(): void } {
  return { store: quiet(client), disconnect: () => client.disconnect() }
}

/** Connections are broken on purpose. */
function quiet(client: RedisClient): RedisClient {
  client.on('error', () => undefined)
  return client
}
