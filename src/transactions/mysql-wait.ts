import { throwIfAborted } from '../base/errors/abort-reason.js'
import { machineTime } from '../base/time/machine-time.js'
import type { Answer, MysqlTransaction } from '../port/sql-connection.js'
import { isRefusal, isStatementLimit, isTimeout } from './failure.js'
import type { TransactionLockOptions } from './limits.js'
import { type LockingClause, lockingClauses, withWait } from './locking-clauses.js'
import { limitedInMariadb, limitedInMysql } from './mysql-limits.js'
import { type MysqlServer, onlyValue, serverOf } from './mysql-server.js'

/** With a signal the wait goes in slices, since a waiting connection takes no other statement. The servers count waits in seconds. */
const SLICE_MS = 1_000

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Runs a statement that may wait for a row or a table; the server ends the wait in time. A wait without success undoes only that statement.
 * MariaDB takes limits for a single statement; in MySQL this sets the connection's own and puts them back.
 *
 * The servers limit the time of the statement, its work included, and do not tell which of the two took it. So when the time is up the
 * statement runs once more without waiting and without that limit: it gets free rows, however long it takes to read them. So does a
 * statement of MariaDB that succeeds so late: that server can cut a subquery short without an error, and then gives 0 or NULL for it.
 */
export async function waitInMysql(
  session: MysqlTransaction,
  { waitMs, signal }: TransactionLockOptions,
  { text, values }: Statement,
): Promise<Answer> {
  if (waitMs === undefined && !signal) return session.query(text, values)
  const server = await serverOf(session)
  const clauses = lockingClauses(text, 'mysql')
  const deadline = machineTime.monotonicMs() + (waitMs ?? (await ownWaitMs(session, clauses)))
  const forms = formsOf(text, clauses, server)
  const limited = server.product === 'mariadb' ? limitedInMariadb : limitedInMysql
  for (;;) {
    throwIfAborted(signal)
    const leftMs = Math.max(Math.ceil(deadline - machineTime.monotonicMs()), 0)
    // Where the end of a wait is the end of the transaction, it waits only once.
    const waitMs = signal && !server.rollsBack ? Math.min(leftMs, SLICE_MS) : leftMs
    try {
      const answer = await limited(session, { ...forms, values, leftMs, waitMs })
      const mayBeCut = leftMs > 0 && server.product === 'mariadb' && machineTime.monotonicMs() >= deadline
      if (!mayBeCut) return answer
    } catch (error) {
      if (leftMs === 0 || !(isTimeout(error) || isStatementLimit(error)) || forms.isRefused(error))
        throw error
      if (server.rollsBack && !(await isInTransaction(session))) throw error
      if (machineTime.monotonicMs() >= deadline && forms.atOnce === undefined) throw error
    }
  }
}

interface Forms {
  readonly waiting: string
  /** Absent where there is no such clause, as for an INSERT in MySQL, which waits for the least time there is. */
  readonly atOnce: string | undefined
  /** Whether the statement itself did not want to wait. */
  isRefused(error: unknown): boolean
}

function formsOf(text: string, clauses: readonly LockingClause[], { product }: MysqlServer): Forms {
  if (product === 'mysql') {
    const atOnce = clauses.length > 0 ? withWait(text, clauses, 'NOWAIT') : undefined
    return { waiting: text, atOnce, isRefused: isRefusal }
  }
  // A WAIT clause in the statement would override our limit.
  const waiting = withWait(text, clauses, '')
  const refuses = clauses.some(({ wait }) => wait === 'NOWAIT')
  return { waiting, atOnce: waiting, isRefused: (error) => refuses && isTimeout(error) }
}

/** How long it would wait without a signal. */
async function ownWaitMs(session: MysqlTransaction, clauses: readonly LockingClause[]): Promise<number> {
  for (const { wait } of clauses) if (typeof wait === 'object') return wait.seconds * 1_000
  return Number(onlyValue(await session.query('SELECT @@innodb_lock_wait_timeout AS seconds'))) * 1_000
}

async function isInTransaction(session: MysqlTransaction): Promise<boolean> {
  await session.query('DO 0')
  return session.inTransaction()
}
