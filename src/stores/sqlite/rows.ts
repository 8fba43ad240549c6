import type { StoreSettings } from '../../port/store.js'
import type { InboxListener, RowSession, Rows } from '../rows/rows.js'
import { type Driver, findDriver } from './driver.js'
import { type Machine, thisMachine } from './machine.js'
import type { SqliteTerms } from './options.js'
import { SqliteSession } from './session.js'

/**
 * Locks as rows of a database file that the processes of one machine share.
 * @param parts what tests put in place of this machine's
 */
export function sqliteRows(
  terms: SqliteTerms,
  parts: { readonly driver?: Driver; readonly machine?: Machine } = {},
): Rows {
  const { driver = findDriver(), machine = thisMachine() } = parts
  return {
    openRows: (settings: StoreSettings, listener: InboxListener): RowSession =>
      new SqliteSession(terms, driver, machine, settings, listener),
  }
}
