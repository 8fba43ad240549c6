import { InvalidArgumentError } from '../base/errors/errors.js'
import { NoTransactionError } from '../base/errors/no-transaction-error.js'
import type { Answer, MysqlTransaction, Row, SqlConnection } from '../port/sql-connection.js'
import { transactionOf } from './driver.js'
import { inCall } from './failure.js'
import { checkLimits, type TransactionLockOptions } from './limits.js'
import { lockingClauses } from './locking-clauses.js'
import { isInTransaction, waitInMysql } from './mysql-wait.js'
import { waitInPostgres } from './postgres-wait.js'
import { type Rendered, render, type SqlStatement } from './statement.js'

/**
 * Runs a `SELECT … FOR UPDATE` (or `FOR SHARE`) that waits no longer than it may, and gives its rows, which stay locked until the
 * transaction ends. A row that is not there is not locked: use {@link transactionLock} to guard what does not exist yet.
 *
 * Errors and what is left of the transaction are those of {@link transactionLock}. In PostgreSQL `waitMs` counts for each row that has
 * to be waited for. In MySQL and MariaDB it is the time of the whole statement, which then runs once more without waiting, so that rows
 * that are free are had however long that takes.
 *
 * @param tx the application's connection, with a transaction open; nothing else may run on it until the call settles
 */
export async function rowLock(
  tx: SqlConnection,
  statement: string | SqlStatement,
  options: TransactionLockOptions = {},
): Promise<readonly Row[]> {
  const limits = checkLimits(options)
  const session = transactionOf(tx)
  const rendered = render(statement, session.dialect)
  const { text, values } = rendered
  if (lockingClauses(text, session.dialect).length === 0) {
    throw new InvalidArgumentError('statement', text, 'a SELECT that locks: with FOR UPDATE or FOR SHARE')
  }
  const { rows } = await inCall('rowLock', text, limits.signal, () =>
    session.dialect === 'postgres'
      ? waitInPostgres(session, limits, (query) => query(text, values))
      : lockInMysql(session, rendered, limits),
  )
  return rows
}

async function lockInMysql(
  session: MysqlTransaction,
  statement: Rendered,
  options: TransactionLockOptions,
): Promise<Answer> {
  const answer = await waitInMysql(session, options, statement)
  if (!(await isInTransaction(session))) throw new NoTransactionError(statement.text)
  return answer
}
