import type { Answer, MysqlTransaction } from '../port/sql-connection.js'

/** A statement and how long it may take. */
export interface Limited {
  readonly waiting: string
  readonly atOnce: string | undefined
  readonly values: readonly unknown[]
  /** Until the deadline. 0 does not wait. */
  readonly leftMs: number
  /** For this run. */
  readonly waitMs: number
}

const YEAR_S = 31_536_000

/** The greatest limits. That for rows means no limit in MariaDB. */
const LONGEST = {
  mysql: { rowsS: 1_073_741_824, tablesS: YEAR_S, statementMs: 2 ** 32 - 1 },
  mariadb: { rowsS: 100_000_000, tablesS: YEAR_S, statementMs: YEAR_S * 1_000 },
} as const

export function limitedInMariadb(
  session: MysqlTransaction,
  { waiting, values, leftMs, waitMs }: Limited,
): Promise<Answer> {
  const seconds = Math.ceil(waitMs / 1_000)
  const { rowsS, tablesS, statementMs } = LONGEST.mariadb
  const waits = `innodb_lock_wait_timeout=${Math.min(seconds, rowsS)}, lock_wait_timeout=${Math.min(seconds, tablesS)}`
  // MariaDB takes 0 for a wait as "do not wait". It takes fractions of a second for a statement, but not for a wait.
  const time = leftMs === 0 ? '' : `, max_statement_time=${limitOf(leftMs, statementMs) / 1_000}`
  return session.query(`SET STATEMENT ${waits}${time} FOR ${waiting}`, values)
}

export async function limitedInMysql(
  session: MysqlTransaction,
  { waiting, atOnce, values, leftMs, waitMs }: Limited,
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
