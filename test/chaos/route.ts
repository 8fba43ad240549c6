import { Cluster, Redis } from 'ioredis'
import pg from 'pg'
import { quorum, type RedisClient, type Store } from '../../src/index.js'
import { type MysqlOptions, mysql } from '../../src/mysql/index.js'
import { checkMysqlOptions } from '../../src/mysql/options.js'
import { MysqlRows } from '../../src/mysql/rows.js'
import { postgres } from '../../src/postgres/index.js'
import { checkPostgresOptions } from '../../src/postgres/options.js'
import { pgConnections } from '../../src/postgres/pg-connection.js'
import { PostgresRows } from '../../src/postgres/rows.js'
import type { Rows } from '../../src/rows/rows.js'
import { sqlite } from '../../src/sqlite/index.js'
import { checkSqliteOptions } from '../../src/sqlite/options.js'
import { SqliteRows } from '../../src/sqlite/rows.js'
import { account } from '../servers/sql/product.js'
import type { Endpoint, Route } from './order.js'

/** What a `Holdfast` is made from, at the end of a route. */
export function storeAt(route: Route): { store: RedisClient | Store; disconnect(): void } {
  switch (route.to) {
    case 'standalone': {
      const store = single(route.server, route.protocol)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'cluster': {
      const store = new Cluster([...route.nodes], { lazyConnect: true, natMap: route.natMap })
      store.on('error', () => undefined)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'sentinel': {
      const { sentinels, name, natMap } = route
      const store = new Redis({ sentinels: [...sentinels], name, natMap, lazyConnect: true, protocol: 2 })
      store.on('error', () => undefined)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'postgres': {
      const pool = poolAt(route)
      return { store: postgres(pool), disconnect: () => void pool.end() }
    }
    case 'mysql':
      return { store: mysql({ connect: connectAt(route) }), disconnect: () => undefined }
    case 'sqlite':
      return { store: sqlite(route.path), disconnect: () => undefined }
    case 'quorum': {
      const members = route.members.map((member) => single(member, 2))
      return {
        store: quorum(members, { restartGuardMs: route.restartGuardMs }),
        disconnect: () => {
          for (const member of members) member.disconnect()
        },
      }
    }
  }
}

/** The rows that a database keeps, as the operator may see them; undefined where there is none. */
export function rowsAt(route: Route): Rows | undefined {
  switch (route.to) {
    case 'postgres':
      return new PostgresRows(pgConnections(poolAt(route)), checkPostgresOptions({}))
    case 'mysql':
      return new MysqlRows(checkMysqlOptions({ connect: connectAt(route) }))
    case 'sqlite':
      return new SqliteRows(checkSqliteOptions(route.path))
    default:
      return undefined
  }
}

/** It never opens a connection itself. */
function poolAt({ server, user, password }: Route & { to: 'postgres' }): pg.Pool {
  return new pg.Pool({ ...server, user, password, database: account.database })
}

/** The libraries are loaded where they are used: a worker is to start quickly. */
function connectAt({ library, server, user, password }: Route & { to: 'mysql' }): MysqlOptions['connect'] {
  const options = { ...server, user, password, database: account.database }
  if (library === 'mysql2')
    return async () => {
      const { createConnection } = await import('mysql2/promise')
      return await createConnection(options)
    }
  return async () => {
    const { createConnection } = await import('mariadb')
    return await createConnection({ ...options, allowPublicKeyRetrieval: true })
  }
}

function single({ host, port }: Endpoint, protocol: 2 | 3): Redis {
  const client = new Redis({ host, port, protocol, lazyConnect: true })
  client.on('error', () => undefined)
  return client
}
