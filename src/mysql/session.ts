import type { StoreSettings } from '../ports/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import type { Draft, RowSession } from '../rows/rows.js'
import type { Keyspace, Shape } from '../rows/shape.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { Cleaning } from './cleaning.js'
import { MysqlDialect } from './dialect.js'
import { MysqlExpress } from './express.js'
import { namesLike } from './names.js'
import type { MysqlSettings } from './options.js'
import { type Statements, statementsFor } from './statements.js'
import { MysqlTable } from './table.js'
import { MysqlTies } from './ties.js'

/** One client's access to the table of locks. It has no inbox: nobody is told of a release, and who waits asks again. */
export class MysqlSession implements RowSession {
  readonly ties: MysqlTies
  readonly #express: MysqlExpress
  readonly #cleaning: Cleaning
  readonly #connector: Connector
  readonly #connections: Connections
  readonly #statements: Statements
  readonly #table: CompareAndSet

  constructor(options: MysqlSettings, settings: StoreSettings) {
    this.#statements = statementsFor(options.table)
    this.#connector = new Connector(new MysqlDialect(options, this.#statements, settings), settings)
    this.#connections = new Connections(this.#connector, settings, options.connections)
    this.ties = new MysqlTies(this.#connections, this.#statements)
    const table = new MysqlTable(this.#connections, this.#statements, this.ties)
    this.#table = new CompareAndSet(table, settings)
    this.#cleaning = new Cleaning(this.#connections, this.#statements, settings, options.retainMs)
    this.#express = new MysqlExpress(this.#connections, this.#statements, settings)
  }

  get express(): MysqlExpress {
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
  }
}
