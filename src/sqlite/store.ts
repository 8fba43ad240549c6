import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import { RowStoreSession } from '../rows/session.js'
import { checkSqliteOptions, type SqliteOptions } from './options.js'
import { SqliteRows } from './rows.js'

/**
 * Locks in a file, for the processes of one machine: no server, every kind of lock. The processes wake each other; a holder whose
 * process has ended holds nothing any more. Nothing is opened before a `Holdfast` on it is first used.
 *
 * Uses `node:sqlite` where Node has it (from 22.13 on), else the package `libsql`, which has to be installed then.
 *
 * @param file the path of a file of Holdfast's own, or {@link SqliteOptions}
 * @throws StoreError if there is neither; InvalidArgumentError
 */
export function sqlite(file: string | SqliteOptions): Store {
  const rows = new SqliteRows(checkSqliteOptions(file))
  return {
    open: (settings: StoreSettings): StoreSession => new RowStoreSession(rows, settings),
  }
}
