import type { StoreSettings } from '../ports/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import type { Draft, InboxListener, RowSession } from '../rows/rows.js'
import type { Keyspace, Shape } from '../rows/shape.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { Cleaning } from './cleaning.js'
import type { ListeningConnection, MakeConnection } from './connection.js'
import { PostgresDialect } from './dialect.js'
import { PostgresExpress } from './express.js'
import { PostgresInbox } from './inbox.js'
import { namesLike } from './names.js'
import type { PostgresSettings } from './options.js'
import { SeenRows } from './seen-rows.js'
import { type Statements, statementsFor } from './statements.js'
import { PostgresTable } from './table.js'
import { PostgresTies } from './ties.js'

/** One client's access to the table of locks. */
export class PostgresSession implements RowSession {
  readonly #express: PostgresExpress
  readonly ties: PostgresTies
  readonly #cleaning: Cleaning
  readonly #connector: Connector<ListeningConnection>
  readonly #dialect: PostgresDialect
  readonly #connections: Connections
  readonly #inbox: PostgresInbox
  readonly #statements: Statements
  readonly #table: CompareAndSet

  constructor(
    makeConnection: MakeConnection,
    { table, createTable, connections, retainMs }: PostgresSettings,
    settings: StoreSettings,
    listener: InboxListener,
  ) {
    const seen = new SeenRows(settings.schedule)
    this.#statements = statementsFor(table)
    this.#dialect = new PostgresDialect(makeConnection, settings, { createTable, table })
    this.#connector = new Connector(this.#dialect, settings)
    this.#connections = new Connections(this.#connector, settings, connections)
    this.#inbox = new PostgresInbox(this.#connector, this.#dialect, settings, listener)
    this.#table = new CompareAndSet(new PostgresTable(this.#connections, this.#statements, seen), settings)
    this.#cleaning = new Cleaning(this.#connections, this.#statements, settings, retainMs)
    this.ties = new PostgresTies(this.#connections)
    this.#express = new PostgresExpress(this.#connections, this.#statements, seen, settings)
  }

  /** Whether there is one turns out with the first connection. */
  get inbox(): PostgresInbox | undefined {
    return this.#dialect.pooled ? undefined : this.#inbox
  }

  get express(): PostgresExpress {
    this.#cleaning.used()
    return this.#express
  }

  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    this.#cleaning.used()
    return this.#table.change(shape, name, change)
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return namesLike(this.#connections, this.#statements, keyspace, pattern)
  }

  /** Deletes rows that say nothing, as happens about hourly. */
  clean(): Promise<void> {
    return this.#cleaning.clean()
  }

  async close(): Promise<void> {
    this.#connector.close()
    this.#connections.close()
    this.#inbox.close()
  }
}
