import type { StoreSettings } from '../../port/store.js'
import { CompareAndSet } from '../rows/compare-and-set.js'
import type { Draft, Express, Inbox, RowSession, VersionedTable } from '../rows/rows.js'
import type { Keyspace, Shape } from '../rows/shape.js'
import type { Ties } from '../rows/ties.js'

/** How often each client in use deletes rows that say nothing and have not changed for long. */
const CLEANING_MS = 3_600_000

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
  #cleansAt: number

  constructor(
    private readonly table: SqlTable,
    private readonly settings: StoreSettings,
  ) {
    this.ties = table.ties
    this.#compareAndSet = new CompareAndSet(table.rows, settings)
    this.#cleansAt = this.#nextCleaningAt
  }

  get inbox(): Inbox | undefined {
    return this.table.inbox?.()
  }

  get express(): Express {
    this.#used()
    return this.table.express
  }

  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    this.#used()
    return this.#compareAndSet.change(shape, name, change)
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return this.table.names(keyspace, pattern)
  }

  /** Deletes rows that say nothing, as happens about hourly. */
  clean(): Promise<void> {
    return this.table.clean()
  }

  async close(): Promise<void> {
    this.table.close()
  }

  /** Needs no timer for the cleaning, so that nothing is alive while the client is idle. */
  #used(): void {
    if (this.settings.schedule.clock.now() < this.#cleansAt) return
    this.#cleansAt = this.#nextCleaningAt
    this.table.clean().catch(this.settings.onError)
  }

  /** Clients that began together do not clean together. */
  get #nextCleaningAt(): number {
    return this.settings.schedule.clock.now() + CLEANING_MS * (0.5 + Math.random())
  }
}
