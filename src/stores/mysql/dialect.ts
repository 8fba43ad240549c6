import type { StoreSettings } from '../../port/store.js'
import type { SqlConnection } from '../sql/connection.js'
import { type Dialect, tableMaker } from '../sql/connector.js'
import { isBelow, tooOld } from '../sql/version.js'
import type { Connect } from './client.js'
import { ClientConnection } from './client-connection.js'
import { failureOf, isMissingTable, isWornOut } from './failure.js'
import type { Statements } from './statements.js'

/** The longest that the servers take for these settings. */
const LONGEST_TIMEOUT_S = 31_536_000

/**
 * How to open connections to MySQL and MariaDB, and prepare them for use.
 * @param makeTable makes the table that they need, if they need one
 */
export function mysqlDialect(
  connect: Connect,
  { commandTimeoutMs }: Pick<StoreSettings, 'commandTimeoutMs'>,
  makeTable?: (connection: SqlConnection) => Promise<void>,
): Dialect {
  const seconds = Math.min(Math.ceil(commandTimeoutMs / 1_000), LONGEST_TIMEOUT_S)
  let versionChecked = false
  return {
    failureOf,
    isWornOut,
    make: () => new ClientConnection(connect),
    /** Resets what the application sets for all its connections, so that no statement of Holdfast fails by it, or goes on when its caller has left. */
    async introduce(connection) {
      if (!versionChecked) await checkVersion(connection)
      versionChecked = true
      await connection.query(`SET NAMES utf8mb4, SESSION autocommit = 1, SESSION sql_mode = 'STRICT_ALL_TABLES',
      SESSION sql_safe_updates = 0, SESSION sql_big_selects = 1, SESSION timestamp = DEFAULT, SESSION sql_select_limit = 18446744073709551615, SESSION lock_wait_timeout = ${seconds}, SESSION innodb_lock_wait_timeout = ${seconds}
      /*M!100101 , SESSION max_statement_time = ${seconds} */ /*!80000 , SESSION max_execution_time = 0 */`)
      // The servers accept REPEATABLE READ with every format of the binary log. Holdfast sends one statement in each transaction, so the level hardly matters.
      await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE')
      await makeTable?.(connection)
    },
  }
}

/** Makes the table of locks where there is none. */
export function mysqlTableMaker(createTable: string | undefined, { exists }: Pick<Statements, 'exists'>) {
  return tableMaker(createTable, async (connection) => {
    try {
      await connection.query(exists.text)
      return true
    } catch (error) {
      if (isMissingTable(error)) return false
      throw error
    }
  })
}

/** From these versions on the servers can skip rows that somebody has locked. */
async function checkVersion(connection: SqlConnection): Promise<void> {
  // An application's settings for its connections may keep the row from us: then whatever the server cannot do shows later.
  const [row] = await connection.query('SELECT VERSION() AS version')
  const version = String(row?.['version'] ?? '')
  if (version.includes('MariaDB')) {
    if (isBelow(version, [10, 6])) throw tooOld('MariaDB', version, '10.6')
  } else if (isBelow(version, [8, 0])) {
    throw tooOld('MySQL', version, '8.0')
  }
}
