import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import type { Draft, Express, Inbox, RowSession, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Shape } from '../rows/shape.js'
import type { Ties } from '../rows/ties.js'
import { Cleaning } from './cleaning.js'

/** A table of locks, by the statements of one kind of server. */
export interface SqlTable {
  readonly rows: VersionedTable
  readonly express: Express
  readonly ties: Ties
  /** Absent if the server sends no messages. The first connection may be what shows whether there is one. */
  readonly inbox?: () => Inbox | undefined
  names(keyspace: Keyspace, pattern: string): AsyncIterable<string>
  /** Deletes rows that say nothing, a limited number. */
  clean(): Promise<void>
  close(): void
}

/** One client's access to a table of locks. */
export class SqlSession implements RowSession {
  readonly ties: Ties
  readonly #compareAndSet: CompareAndSet
  readonly #cleaning: Cleaning

  constructor(
    private readonly table: SqlTable,
    settings: StoreSettings,
  ) {
    this.ties = table.ties
    this.#compareAndSet = new CompareAndSet(table.rows, settings)
    this.#cleaning = new Cleaning(() => table.clean(), settings)
  }

  get inbox(): Inbox | undefined {
    return this.table.inbox?.()
  }

  get express(): Express {
    this.#cleaning.used()
    return this.table.express
  }

  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    this.#cleaning.used()
    return this.#compareAndSet.change(shape, name, change)
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return this.table.names(keyspace, pattern)
  }

  /** Deletes rows that say nothing, as happens about hourly. */
  clean(): Promise<void> {
    return this.#cleaning.clean()
  }

  async close(): Promise<void> {
    this.table.close()
  }
}
