import { DeadlockError } from '../base/errors/deadlock-error.js'
import { HoldfastError, LockTimeoutError, StoreError } from '../base/errors/errors.js'
import { NoTransactionError } from '../base/errors/no-transaction-error.js'
import { machineTime } from '../base/time/machine-time.js'
import { reasonOf, throwIfAborted } from '../base/waiting/signals.js'
import { lasts, passes, UNKNOWN, type Verdict } from '../port/failure.js'
import { isObject } from '../port/sql-connection.js'

/** The request whose statement failed. */
export interface About {
  /** The function of Holdfast, such as `transactionLock`. */
  readonly call: string
  readonly lockName: string
  readonly startedAt: number
}

type Kind = 'timeout' | 'deadlock' | 'no-transaction'

const AGAIN = 'Roll back and run the whole transaction again.'
const GONE = passes('unreachable', `The transaction ended with its connection. Run it again on another one.`)
const NO_PERMISSION = lasts(
  'permission',
  'Grant the user the rights that the statement needs: see docs/transactions.md.',
)
const READ_ONLY = lasts('read-only', 'Use the primary, and a transaction that may write.')
const NO_TABLE = lasts(
  'unknown',
  'Create the table: `holdfast schema mysql` prints the statement, mysqlNamesSchema() returns it.',
)
const CONFLICT = passes('unknown', AGAIN)

/** Not a limit of Holdfast's: it sets one only where a run without it follows. */
const LIMITED = passes(
  'timeout',
  "The application's own limit ended the statement: raise max_execution_time or max_statement_time, or set a shorter waitMs.",
)

/** By SQLSTATE of PostgreSQL. */
const POSTGRES: Readonly<Record<string, Kind | Verdict>> = {
  '55P03': 'timeout',
  '40P01': 'deadlock',
  '25P01': 'no-transaction',
  '25P02': lasts('unknown', 'A statement before it has failed: roll back first.'),
  '40001': CONFLICT,
  '57014': passes(
    'timeout',
    'statement_timeout or an operator cancelled the statement: raise that limit, or set a shorter waitMs.',
  ),
  '42501': NO_PERMISSION,
  '25006': READ_ONLY,
  '57P01': GONE,
  '57P02': GONE,
  '57P03': GONE,
  '57P04': GONE,
  '25P03': GONE,
  '25P04': GONE,
  '57P05': GONE,
}

/** By the error numbers of MySQL and MariaDB. */
const MYSQL: Readonly<Record<number, Kind | Verdict>> = {
  1205: 'timeout',
  1969: LIMITED,
  3024: LIMITED,
  3572: 'timeout',
  1213: 'deadlock',
  1020: CONFLICT,
  1146: NO_TABLE,
  1044: NO_PERMISSION,
  1142: NO_PERMISSION,
  1143: NO_PERMISSION,
  1290: READ_ONLY,
  1792: READ_ONLY,
  1836: READ_ONLY,
  1053: GONE,
  1927: GONE,
}

/** The typed error for what a driver rejected a statement with. */
export function failureOf(error: unknown, { call, lockName, startedAt }: About): unknown {
  if (error instanceof HoldfastError) return error
  const verdict = judge(error)
  if (verdict === 'timeout') return timedOut(lockName, startedAt)
  if (verdict === 'deadlock') return new DeadlockError(lockName, error)
  if (verdict === 'no-transaction') return new NoTransactionError(lockName, error)
  return new StoreError(verdict.reason, call, { lockName, cause: error, ...verdict })
}

/** Runs the statements of a call. Rejects with the typed error for what fails, or with the reason of a signal that has ended the wait. */
export async function inCall<Result>(
  call: string,
  lockName: string,
  signal: AbortSignal | undefined,
  work: (startedAt: number) => Promise<Result>,
): Promise<Result> {
  throwIfAborted(signal)
  const startedAt = machineTime.monotonicMs()
  try {
    return await work(startedAt)
  } catch (error) {
    if (signal?.aborted && error === reasonOf(signal)) throw error
    throw failureOf(error, { call, lockName, startedAt })
  }
}

export function timedOut(lockName: string, startedAt: number): LockTimeoutError {
  return new LockTimeoutError(lockName, machineTime.monotonicMs() - startedAt, {}, undefined, 'transaction')
}

/** Whether the server ended a wait because its time was up. */
export function isTimeout(error: unknown): boolean {
  return judge(error) === 'timeout'
}

/** Whether the server ended a statement because of the time that it took, waiting or not. */
export function isStatementLimit(error: unknown): boolean {
  return judge(error) === LIMITED
}

/** Whether MySQL refused at once what a statement asked for with NOWAIT. */
export function isRefusal(error: unknown): boolean {
  return isObject(error) && error['errno'] === 3572
}

/** Whether somebody cancelled a statement of PostgreSQL. */
export function isCancelled(error: unknown): boolean {
  return isObject(error) && error['code'] === '57014'
}

/** Whether the connection, and with it the transaction, has ended. */
export function isGone(error: unknown): boolean {
  return judge(error) === GONE
}

function judge(error: unknown): Kind | Verdict {
  if (!isObject(error)) return UNKNOWN
  const { code, errno, fatal, message, severity } = error
  const known = typeof errno === 'number' && errno > 0 ? MYSQL[errno] : POSTGRES[String(code)]
  if (known !== undefined) return known
  // A fatal error of PostgreSQL ends the connection.
  return fatal === true ||
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    isLost(String(code ?? ''), String(message))
    ? GONE
    : UNKNOWN
}

/** The drivers' words for a connection that has ended: a state of class 08, a code, or only a text. */
function isLost(code: string, message: string): boolean {
  if (code !== '') return /^08...$|^E[A-Z]+$|^CONNECTION_|^PROTOCOL_CONNECTION_LOST$/.test(code)
  return /^Connection terminated|^Client (has encountered a connection error|was closed)/.test(message)
}
