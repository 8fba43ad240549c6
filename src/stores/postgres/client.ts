import type { MakeConnection } from './connection.js'
import { type PgPool, pgConnections } from './pg-connection.js'
import { isPostgresJs, type PostgresJs, postgresJsConnections } from './postgres-js-connection.js'

/** The application's client of PostgreSQL: a `Pool` of the package `pg`, or `sql` of the package `postgres`. Holdfast only copies its options. */
export type PostgresClient = PgPool | PostgresJs

/** @throws InvalidArgumentError for anything else. */
export function connectionsLike(client: PostgresClient): MakeConnection {
  return isPostgresJs(client) ? postgresJsConnections(client) : pgConnections(client)
}
