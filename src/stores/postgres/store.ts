import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import { RowStoreSession } from '../rows/session.js'
import { connectionsLike, type PostgresClient } from './client.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { PostgresRows } from './rows.js'

/**
 * Locks of every kind in a table of PostgreSQL, 13 or later, for `new Holdfast(postgres(pool))`.
 *
 * @param client says where the server is and how to log in: a `Pool` of `pg`, or `sql` of `postgres`. Holdfast opens connections of its
 *   own with the same options, named `holdfast` (`application_name`): up to `connections` for commands, closed when idle, and one that
 *   listens while calls wait. It never takes one of the client's, and never ends the client.
 * @throws InvalidArgumentError for what is neither, and for bad options.
 */
export function postgres(client: PostgresClient, options: PostgresOptions = {}): Store {
  return new PostgresStore(new PostgresRows(connectionsLike(client), checkPostgresOptions(options)))
}

/** The store that {@link postgres} makes. */
export class PostgresStore implements Store {
  constructor(private readonly rows: PostgresRows) {}

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this.rows, settings)
  }
}
