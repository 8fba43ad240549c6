import { createHash } from 'node:crypto'
import { checkBoolean, checkName } from '../base/checks/checks.js'
import { NoTransactionError } from '../base/errors/no-transaction-error.js'
import type { MysqlTransaction, PostgresTransaction, SqlConnection } from '../port/sql-connection.js'
import { transactionOf } from './driver.js'
import { inCall, timedOut } from './failure.js'
import { checkLimits, type TransactionLockOptions } from './limits.js'
import { waitInMysql } from './mysql-wait.js'
import { waitInPostgres } from './postgres-wait.js'

/** The table of MySQL and MariaDB whose rows {@link transactionLock} locks. */
const NAMES_TABLE = 'holdfast_names'

/** Options of {@link transactionLock}. Times are whole milliseconds. */
export interface SharedLockOptions extends TransactionLockOptions {
  /**
   * Whether other transactions may hold the lock too, if they also share it. In MySQL and MariaDB the transaction that uses a name
   * for the first time has it alone all the same.
   * @default false
   */
  readonly shared?: boolean
}

/**
 * Takes a lock that ends with the transaction, at COMMIT, at ROLLBACK, or when its connection ends. It has no lease and is not
 * renewed, and nobody can take it from a transaction that lives: what the transaction writes in that database needs no fencing token.
 * Taken twice in one transaction it is still one lock. A lock that was taken after a savepoint goes when that is rolled back; MySQL
 * and MariaDB may keep it until the transaction ends.
 *
 * PostgreSQL keeps it as an advisory lock, whose key is the first eight bytes of the name's SHA-256. MySQL and MariaDB keep it as a lock
 * on a row of the table `holdfast_names` (see {@link mysqlNamesSchema}), which is made when the name is new.
 *
 * Rejects with `LockTimeoutError` if others had it for all of `waitMs`, with `DeadlockError`, with `NoTransactionError` if no transaction
 * is open, with `InvalidArgumentError`, or with `StoreError`. After a `LockTimeoutError` or an abort the transaction goes on as it was;
 * after any other error roll it back.
 *
 * @param tx the application's connection, with a transaction open; nothing else may run on it until the call settles
 */
export async function transactionLock(
  tx: SqlConnection,
  name: string,
  options: SharedLockOptions = {},
): Promise<void> {
  checkName(name)
  const limits = checkLimits(options, ['shared'])
  const { shared = false, signal } = limits
  checkBoolean('shared', shared)
  const session = transactionOf(tx)
  await inCall('transactionLock', name, signal, (startedAt) =>
    session.dialect === 'postgres'
      ? lockInPostgres(session, name, shared, limits, startedAt)
      : lockInMysql(session, name, shared, limits),
  )
}

/** The number by which PostgreSQL keeps an advisory lock of that name. */
export function advisoryKeyOf(name: string): string {
  return String(createHash('sha256').update(name).digest().readBigInt64BE(0))
}

/** A free lock takes one round trip, and nothing that could fail; only a wait needs a limit. */
async function lockInPostgres(
  session: PostgresTransaction,
  name: string,
  shared: boolean,
  options: TransactionLockOptions,
  startedAt: number,
): Promise<void> {
  const call = `advisory_xact_lock${shared ? '_shared' : ''}('${advisoryKeyOf(name)}'::int8)`
  // Counted, since the application's driver may give a boolean as something else, and the column another name.
  const { changed } = await session.attempt(`SELECT 1 AS granted WHERE pg_try_${call}`)
  if (changed > 0) return
  if (options.waitMs === 0) throw timedOut(name, startedAt)
  await waitInPostgres(session, options, (query) => query(`SELECT pg_${call}`))
}

/**
 * An INSERT locks the row whether it is there or not. A SELECT … FOR UPDATE would lock the gap where the name is missing, and so
 * whatever other names belong there. Neither reads by the transaction's view: what the transaction reads after this is not older.
 */
async function lockInMysql(
  session: MysqlTransaction,
  name: string,
  shared: boolean,
  options: TransactionLockOptions,
): Promise<void> {
  // In the text, since values cost mysql2 another round trip.
  const row = `INTO ${NAMES_TABLE} (name) VALUES (x'${keyOf(name).toString('hex')}')`
  const text = shared ? `INSERT IGNORE ${row}` : `INSERT ${row} ON DUPLICATE KEY UPDATE name = name`
  await waitInMysql(session, options, { text, values: [] })
  if (!session.inTransaction()) throw new NoTransactionError(name)
}

/**
 * The statement that makes the table `holdfast_names`, which `transactionLock` needs in MySQL and MariaDB. A user of the lock needs the
 * right to INSERT into it, and with `shared: false` to UPDATE it. A row stays when its lock ends; it may be deleted at any time.
 */
export function mysqlNamesSchema(): string {
  return `CREATE TABLE IF NOT EXISTS ${NAMES_TABLE} (
  name varbinary(255) NOT NULL PRIMARY KEY,
  created timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE=InnoDB`
}

/** The greatest length of a key, in bytes. Of a longer name the table has the beginning and the hash. */
const LONGEST_KEY = 255

function keyOf(name: string): Buffer {
  const bytes = Buffer.from(name)
  if (bytes.length < LONGEST_KEY) return bytes
  const hash = createHash('sha256').update(bytes).digest('hex')
  return Buffer.concat([bytes.subarray(0, LONGEST_KEY - hash.length), Buffer.from(hash)])
}
