import { machineTime } from '../base/time/machine-time.js'
import { throwIfAborted } from '../base/waiting/signals.js'
import type { Answer, MysqlTransaction } from '../port/sql-connection.js'
import { isRefusal, isStatementLimit, isTimeout } from './failure.js'
import type { TransactionLockOptions } from './limits.js'
import { type LockingClause, lockingClauses, withWait } from './locking-clauses.js'
import { type MysqlServer, onlyValue, serverOf } from './mysql-server.js'
import type { Rendered } from './statement.js'

/** With a signal the wait goes in slices, since a waiting connection takes no other statement. The servers count waits in seconds. */
const SLICE_MS = 1_000

const YEAR_S = 31_536_000

/** The greatest limits. That for rows means no limit in MariaDB. */
const LONGEST = {
  mysql: { rowsS: 1_073_741_824, tablesS: YEAR_S, statementMs: 2 ** 32 - 1 },
  mariadb: { rowsS: 100_000_000, tablesS: YEAR_S, statementMs: YEAR_S * 1_000 },
} as const

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
  { text, values }: Rendered,
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

/** The texts of a statement. */
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

/** One run of a statement, and how long it may take. */
interface Run extends Forms {
  readonly values: readonly unknown[]
  /** Until the deadline. 0 does not wait. */
  readonly leftMs: number
  /** For this run. */
  readonly waitMs: number
}

function limitedInMariadb(
  session: MysqlTransaction,
  { waiting, values, leftMs, waitMs }: Run,
): Promise<Answer> {
  const seconds = Math.ceil(waitMs / 1_000)
  const { rowsS, tablesS, statementMs } = LONGEST.mariadb
  const waits = `innodb_lock_wait_timeout=${Math.min(seconds, rowsS)}, lock_wait_timeout=${Math.min(seconds, tablesS)}`
  // MariaDB takes 0 for a wait as "do not wait". It takes fractions of a second for a statement, but not for a wait.
  const time = leftMs === 0 ? '' : `, max_statement_time=${limitOf(leftMs, statementMs) / 1_000}`
  return session.query(`SET STATEMENT ${waits}${time} FOR ${waiting}`, values)
}

async function limitedInMysql(
  session: MysqlTransaction,
  { waiting, atOnce, values, leftMs, waitMs }: Run,
): Promise<Answer> {
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1)
  const { rowsS, tablesS, statementMs } = LONGEST.mysql
  const text = leftMs === 0 ? (atOnce ?? waiting) : waiting
  const time = leftMs === 0 ? '@@SESSION.max_execution_time' : limitOf(leftMs, statementMs)
  await session.query(
    'SET @holdfast_wait = @@SESSION.innodb_lock_wait_timeout, @holdfast_table = @@SESSION.lock_wait_timeout, ' +
      '@holdfast_time = @@SESSION.max_execution_time, ' +
      `SESSION innodb_lock_wait_timeout = ${Math.min(seconds, rowsS)}, ` +
      `SESSION lock_wait_timeout = ${Math.min(seconds, tablesS)}, SESSION max_execution_time = ${time}`,
  )
  try {
    return await session.query(text, values)
  } finally {
    // If this fails too, the connection is gone, and the first error says why.
    await session
      .query(
        'SET SESSION innodb_lock_wait_timeout = @holdfast_wait, SESSION lock_wait_timeout = @holdfast_table, ' +
          'SESSION max_execution_time = @holdfast_time',
      )
      .catch(() => undefined)
  }
}

/** 0 sets no limit. */
function limitOf(leftMs: number, longestMs: number): number {
  return leftMs > longestMs ? 0 : leftMs
}

/** How long it would wait without a signal. */
async function ownWaitMs(session: MysqlTransaction, clauses: readonly LockingClause[]): Promise<number> {
  for (const { wait } of clauses) if (typeof wait === 'object') return wait.seconds * 1_000
  return Number(onlyValue(await session.query('SELECT @@innodb_lock_wait_timeout AS seconds'))) * 1_000
}

/** Asks: a statement that returns rows does not show whether there is a transaction. */
export async function isInTransaction(session: MysqlTransaction): Promise<boolean> {
  await session.query('DO 0')
  return session.inTransaction()
}
