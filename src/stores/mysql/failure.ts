import { StoreError } from '../../base/errors/errors.js'
import { isError } from '../../base/errors/is-error.js'
import { judgedBy, lasts, NOT_READY, passes, UNKNOWN, UNREACHABLE, type Verdict } from '../../port/failure.js'
import { NEEDS_TLS, tlsVerdict } from '../sql/tls.js'

const NO_PERMISSION = lasts('permission', 'Grant the user SELECT, INSERT, UPDATE and DELETE on the table.')
const NO_ACCESS = lasts(
  // MariaDB says no more where it wants TLS.
  'permission',
  'The server refused the user, the password, the database, or a connection without TLS: check those of the pool.',
)
const NO_TABLE = lasts(
  'not-ready',
  'Create the table with what `holdfast schema mysql` prints (mysqlSchema()), or pass createTable: true.',
)
const OTHER_TABLE = lasts(
  'wrong-type',
  'The table is not the one that mysqlSchema() returns: choose another name (option table), or create it anew.',
)
const READ_ONLY = passes('read-only', 'The server is a replica, or read-only: connect to the primary.')
const TOO_MANY = passes('not-ready', 'The server has no room for more connections: raise max_connections.')
const GAVE_WAY = passes('not-ready', 'The server ended the statement in favour of another one: try again.')
const LOCKED = passes(
  'not-ready',
  'Another transaction has kept the row locked for too long: end it (SHOW PROCESSLIST).',
)
const INTERRUPTED = passes('timeout', 'The server ended the statement (a limit on its time, or an operator).')
const FULL = lasts('out-of-memory', 'The disk of the server is full: make room.')
const OUT_OF_MEMORY = passes('out-of-memory')

/** The meaning for a lock of what the servers report, by their error numbers. */
const BY_NUMBER: ReadonlyMap<number, Verdict> = new Map([
  ...every(NO_PERMISSION, 1142, 1143, 1227, 1370),
  ...every(NO_ACCESS, 1044, 1045, 1049, 1130, 1698, 1820, 1862, 3118, 3955, 4151),
  ...every(NEEDS_TLS, 3159),
  ...every(NO_TABLE, 1146),
  // No such column, of another type, too short.
  ...every(OTHER_TABLE, 1054, 1136, 1265, 1364, 1366, 1406),
  // The server, the transaction or the database is read-only.
  ...every(READ_ONLY, 1290, 1792, 1836, 3989),
  ...every(TOO_MANY, 1040, 1129, 1203, 1226),
  // A deadlock; a row that has changed since its read; a cluster's certification that failed, at the commit too.
  ...every(GAVE_WAY, 1020, 1180, 1213, 1614, 3101),
  ...every(LOCKED, 1205, 3572),
  ...every(INTERRUPTED, 1317, 1969, 3024),
  ...every(FULL, 1021, 1114),
  ...every(OUT_OF_MEMORY, 1037, 1038, 1041),
  // A node that has not joined its cluster; prepared statements that are gone, outdated, or too many.
  ...every(NOT_READY, 1047, 1243, 1461, 1615),
  ...every(UNREACHABLE, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3032, 4031),
])

/** Errors after which another connection may do better: it may reach the new primary, and prepares its statements anew. */
const WORN_OUT = new Set([1047, 1243, 1290, 1461, 1615, 1792, 1836, 3989])

/** The typed error for the client library's rejection of a command. */
export const failureOf = judgedBy(judge)

/** Whether an insert failed because the row exists. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof StoreError && numberOf(error.cause) === 1062
}

/** Whether a statement that does not wait found a locked row. */
export function isLocked(error: unknown): boolean {
  return error instanceof StoreError && BY_NUMBER.get(numberOf(error.cause) ?? 0) === LOCKED
}

/** Whether there is no such table. */
export function isMissingTable(error: unknown): boolean {
  return numberOf(error) === 1146
}

/** Whether the connection that it came by is of no more use. */
export function isWornOut(error: unknown): boolean {
  const number = numberOf(error)
  if (number === undefined || WORN_OUT.has(number) || judge(error).reason === 'unreachable') return true
  return isError(error) && 'fatal' in error && error.fatal === true
}

function judge(error: unknown): Verdict {
  if (!isError(error)) return UNKNOWN
  const number = numberOf(error)
  // The library's other rejections concern the connection: refused, reset, closed.
  return number === undefined ? (tlsVerdict(error) ?? UNREACHABLE) : (BY_NUMBER.get(number) ?? UNKNOWN)
}

/** The server's error number, if the server has answered: libraries have numbers of their own, below and above those. */
function numberOf(error: unknown): number | undefined {
  if (!isError(error) || !('errno' in error) || typeof error.errno !== 'number') return undefined
  return error.errno >= 1_000 && error.errno < 10_000 ? error.errno : undefined
}

function every(verdict: Verdict, ...numbers: readonly number[]): ReadonlyArray<readonly [number, Verdict]> {
  return numbers.map((number) => [number, verdict])
}
