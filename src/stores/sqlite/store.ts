import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { InboxListener, RowSession, Rows } from '../rows/rows.js'
import { RowStoreSession } from '../rows/session.js'
import { defaultSqliteFile } from './default-file.js'
import { type Driver, findDriver } from './driver.js'
import { type Machine, thisMachine } from './machine.js'
import { checkSqliteOptions, type SqliteOptions, type SqliteTerms } from './options.js'
import { SqliteSession } from './session.js'

/**
 * Locks in a file, for the processes of one machine: no server, every kind of lock. The processes wake each other; a holder whose
 * process has ended holds nothing any more. Nothing is opened before a `Holdfast` on it is first used.
 *
 * Uses `node:sqlite` where Node has it (from 22.13 on), else the package `libsql`, which has to be installed then.
 *
 * @param file the path of a file of Holdfast's own, or {@link SqliteOptions}. Without an argument it is the file that the command line uses,
 *   and `new Holdfast()`: see docs/sqlite.md.
 * @throws StoreError if there is neither; InvalidArgumentError
 */
export function sqlite(...file: [] | [file: string | SqliteOptions]): Store {
  const [given = file.length === 0 ? defaultSqliteFile() : undefined] = file
  return storeOf(checkSqliteOptions(given))
}

/** A store whose locks are in that file. */
export function storeOf(terms: SqliteTerms): Store {
  const rows = sqliteRows(terms)
  return {
    open: (settings: StoreSettings): StoreSession => new RowStoreSession(rows, settings),
  }
}

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
