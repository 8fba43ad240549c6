import { machineTime } from '../time/machine-time.js'
import type { Answer, MysqlTransaction } from './connection.js'
import { isTimeout } from './failure.js'
import type { TransactionLockOptions } from './limits.js'

/** The greatest `innodb_lock_wait_timeout` of MySQL and of MariaDB; to the latter it means no limit. */
const LONGEST_S = { mysql: 1_073_741_824, mariadb: 100_000_000 } as const

/** With a signal the wait goes in slices, since a waiting connection takes no other statement. Waits are counted in seconds there. */
const SLICE_MS = 1_000

type Server = keyof typeof LONGEST_S

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Asked once for each connection. */
const servers = new WeakMap<object, Promise<Server>>()

/**
 * Runs a statement that may wait for a row, with the server ending the wait in time. Where it ends without the lock, only that statement
 * is undone. MariaDB takes limits for a single statement; in MySQL the connection's own are set and put back.
 *
 * The servers limit the time of the statement, its work included, and do not tell which of the two took it. So when the time is up the
 * statement runs once more without waiting and without that limit: rows that are free are had, however long it takes to read them.
 */
export async function waitInMysql(
  session: MysqlTransaction,
  { waitMs, signal }: TransactionLockOptions,
  statement: Statement,
): Promise<Answer> {
  if (waitMs === undefined && !signal) return session.query(statement.text, statement.values)
  const server = await serverOf(session)
  const deadline = machineTime.monotonicMs() + (waitMs ?? (await ownWaitMs(session)))
  const limited = server === 'mariadb' ? inMariadb : inMysql
  for (;;) {
    signal?.throwIfAborted()
    const leftMs = Math.max(Math.ceil(deadline - machineTime.monotonicMs()), 0)
    try {
      return await limited(session, leftMs, signal ? Math.min(leftMs, SLICE_MS) : leftMs, statement)
    } catch (error) {
      if (!isTimeout(error) || leftMs === 0) throw error
      const isOver = machineTime.monotonicMs() >= deadline
      if (isOver && server === 'mysql' && withoutWait(statement.text) === undefined) throw error
    }
  }
}

function serverOf(session: MysqlTransaction): Promise<Server> {
  const known = servers.get(session.identity)
  if (known) return known
  // Reads no table, and so fixes no view of the data for the transaction.
  const asked = session
    .query('SELECT VERSION() AS version')
    .then((answer): Server => (/mariadb/i.test(String(onlyValue(answer))) ? 'mariadb' : 'mysql'))
  asked.catch(() => servers.delete(session.identity))
  servers.set(session.identity, asked)
  return asked
}

async function ownWaitMs(session: MysqlTransaction): Promise<number> {
  return Number(onlyValue(await session.query('SELECT @@innodb_lock_wait_timeout AS seconds'))) * 1_000
}

/** The only value of an answer, also where the application has its rows as arrays. */
function onlyValue({ rows }: Answer): unknown {
  return Object.values(rows[0] ?? {})[0]
}

function inMariadb(
  session: MysqlTransaction,
  leftMs: number,
  waitMs: number,
  { text, values }: Statement,
): Promise<Answer> {
  const wait = Math.min(Math.ceil(waitMs / 1_000), LONGEST_S.mariadb)
  // Not waiting is a setting of its own there. The time of the statement has thousandths, that of the wait has not.
  const time = leftMs === 0 ? '' : `, max_statement_time=${leftMs === Infinity ? 0 : leftMs / 1_000}`
  return session.query(`SET STATEMENT innodb_lock_wait_timeout=${wait}${time} FOR ${text}`, values)
}

async function inMysql(
  session: MysqlTransaction,
  leftMs: number,
  waitMs: number,
  { text, values }: Statement,
): Promise<Answer> {
  const wait = Math.min(Math.max(Math.ceil(waitMs / 1_000), 1), LONGEST_S.mysql)
  const atOnce = leftMs === 0 ? withoutWait(text) : undefined
  const time = atOnce === undefined ? timeLimit(leftMs) : '@@SESSION.max_execution_time'
  await session.query(
    'SET @holdfast_wait = @@SESSION.innodb_lock_wait_timeout, @holdfast_time = @@SESSION.max_execution_time, ' +
      `SESSION innodb_lock_wait_timeout = ${wait}, SESSION max_execution_time = ${time}`,
  )
  try {
    return await session.query(atOnce ?? text, values)
  } finally {
    // Where this fails too, the connection is gone, and the first error tells why.
    await session
      .query(
        'SET SESSION innodb_lock_wait_timeout = @holdfast_wait, SESSION max_execution_time = @holdfast_time',
      )
      .catch(() => undefined)
  }
}

/** 0 sets no limit. */
function timeLimit(leftMs: number): number {
  return leftMs === Infinity ? 0 : Math.max(leftMs, 1)
}

/** The same without a wait; absent where there is no such clause, as for an INSERT, which waits for the least time there is. */
function withoutWait(text: string): string | undefined {
  if (/\b(?:NOWAIT|SKIP\s+LOCKED)\s*;?\s*$/i.test(text)) return text
  const clause = /(?:\bFOR\s+(UPDATE|SHARE)|\bLOCK\s+IN\s+(SHARE)\s+MODE)((?:\s+OF\s+[\w`., $]+?)?)\s*;?\s*$/i
  return clause.test(text) ? text.replace(clause, 'FOR $1$2$3 NOWAIT') : undefined
}
