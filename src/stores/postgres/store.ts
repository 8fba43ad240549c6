import type { Store } from '../../port/store.js'
import { RowStoreSession } from '../rows/session.js'
import type { MakeConnection } from './connection.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { type PgPool, pgConnections } from './pg-connection.js'
import { isPostgresJs, type PostgresJs, postgresJsConnections } from './postgres-js-connection.js'
import { postgresRows } from './rows.js'

/** The application's client of PostgreSQL: a `Pool` of the package `pg`, or `sql` of the package `postgres`. Holdfast only copies its options. */
export type PostgresClient = PgPool | PostgresJs

/**
 * Locks of every kind in a table of PostgreSQL, 13 or later, for `new Holdfast(postgres(pool))`.
 *
 * @param client says where the server is and how to log in: a `Pool` of `pg`, or `sql` of `postgres`. Holdfast opens connections of its
 *   own with the same options, named `holdfast` (`application_name`): up to `connections` for commands, closed when idle, and one that
 *   listens while calls wait. It never takes one of the client's, and never ends the client.
 * @throws InvalidArgumentError for what is neither, and for bad options.
 */
export function postgres(client: PostgresClient, options: PostgresOptions = {}): Store {
  const rows = postgresRows(connectionsLike(client), checkPostgresOptions(options))
  return { open: (settings) => new RowStoreSession(rows, settings) }
}

/** @throws InvalidArgumentError for anything else. */
export function connectionsLike(client: PostgresClient): MakeConnection {
  return isPostgresJs(client) ? postgresJsConnections(client) : pgConnections(client)
}
