import type { StoreSettings } from '../../port/store.js'
import type { InboxListener, RowSession, Rows } from '../rows/rows.js'
import { type Driver, findDriver } from './driver.js'
import { type Machine, thisMachine } from './machine.js'
import type { SqliteTerms } from './options.js'
import { SqliteSession } from './session.js'

/** Locks as rows of a database file that the processes of one machine share. */
export class SqliteRows implements Rows {
  readonly #driver: Driver
  readonly #machine: Machine

  /** @param parts what tests put in place of this machine's */
  constructor(
    private readonly terms: SqliteTerms,
    parts: { readonly driver?: Driver; readonly machine?: Machine } = {},
  ) {
    this.#driver = parts.driver ?? findDriver()
    this.#machine = parts.machine ?? thisMachine()
  }

  openRows(settings: StoreSettings, listener: InboxListener): RowSession {
    return new SqliteSession(this.terms, this.#driver, this.#machine, settings, listener)
  }
}
