import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import { RowStoreSession } from '../rows/session.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { type PgPool, pgConnections } from './pg-connection.js'
import { PostgresRows } from './rows.js'

/**
 * Locks of every kind in a table of PostgreSQL, 11 or later, for `new Holdfast(postgres(pool))`.
 *
 * @param pool says where the server is and how to log in. Holdfast opens connections of its own with the pool's options, named
 *   `holdfast` (`application_name`): up to `connections` for commands, closed when idle, and one that listens while calls wait. It never
 *   takes one out of the pool, and never ends the pool.
 * @throws InvalidArgumentError for a pool that is none of `pg`, and for bad options.
 */
export function postgres(pool: PgPool, options: PostgresOptions = {}): PostgresStore {
  return new PostgresStore(new PostgresRows(pgConnections(pool), checkPostgresOptions(options)))
}

/** Made by {@link postgres}. */
export class PostgresStore implements Store {
  readonly #rows: PostgresRows

  /** @internal */
  constructor(rows: PostgresRows) {
    this.#rows = rows
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this.#rows, settings)
  }
}
