import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import { RowStoreSession } from '../rows/session.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { type PgPool, pgConnections } from './pg-connection.js'
import { PostgresRows } from './rows.js'

/** Locks in a database of PostgreSQL: see {@link postgres}. */
export class PostgresStore implements Store {
  readonly #rows: PostgresRows

  /** @internal */
  constructor(rows: PostgresRows) {
    this.#rows = rows
  }

  /** @internal */
  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this.#rows, settings)
  }
}

/**
 * Keeps locks as rows of one table of PostgreSQL (13 or later): `new Holdfast(postgres(pool))`. The table has to exist, see
 * {@link postgresSchema}, or `createTable`. Connects only on first use. See docs/postgres.md.
 *
 * @param pool of the package `pg`. Holdfast makes connections of its own like those of the pool (`options.connections` for commands, one
 *   that listens), never takes one out of it, and never closes it.
 * @throws `InvalidArgumentError` if an option is invalid, or the pool is none.
 */
export function postgres(pool: PgPool, options: PostgresOptions = {}): PostgresStore {
  return new PostgresStore(new PostgresRows(pgConnections(pool), checkPostgresOptions(options)))
}
