import { StoreError } from '../../base/errors/errors.js'
import { isError } from '../../base/errors/is-error.js'
import { judgedBy, lasts, NOT_READY, passes, UNKNOWN, UNREACHABLE, type Verdict } from '../../port/failure.js'
import { NEEDS_TLS, tlsVerdict } from '../sql/tls.js'

const NO_PERMISSION = lasts(
  'permission',
  'Grant the user SELECT, INSERT, UPDATE and DELETE on the table, and USAGE on its schema.',
)
const NO_ACCESS = lasts(
  'permission',
  'The server refused the user, the password or the database: check those of the pool, and pg_hba.conf.',
)
const NO_TABLE = lasts(
  'not-ready',
  'Create the table with what `holdfast schema postgres` prints, or pass createTable: true.',
)
const OTHER_TABLE = lasts(
  'wrong-type',
  'The table is not the one that `holdfast schema postgres` prints: choose another name (option table), or create it anew.',
)

const INTERRUPTED = passes('timeout', 'The server ended the statement (a limit on its time, or an operator).')

/** The meaning of a SQLSTATE for a lock; where there is none for all five characters, that of its class. */
const BY_STATE: Readonly<Record<string, Verdict>> = {
  '08': UNREACHABLE,
  '22P05': lasts('unknown', 'The database cannot keep that name: use one whose encoding is UTF8.'),
  // A statement could not work with the contents of a row.
  '22': lasts(
    'wrong-type',
    'Holdfast cannot read the row: another program may have written it. Delete the row, or use another name.',
  ),
  '25006': passes(
    'read-only',
    'The server is a replica, or its transactions are read-only: connect to the primary.',
  ),
  '28': NO_ACCESS,
  '3D000': NO_ACCESS,
  '3F000': NO_TABLE,
  '42P01': NO_TABLE,
  '42501': NO_PERMISSION,
  '42703': OTHER_TABLE,
  '42804': OTHER_TABLE,
  '42P10': OTHER_TABLE,
  '40': passes('not-ready', 'The server ended the statement in favour of another one: try again.'),
  '53100': lasts('out-of-memory', 'The disk of the server is full: make room.'),
  '53': NOT_READY,
  '55P03': passes(
    'not-ready',
    'Another transaction has locked the row or the table: end it (pg_stat_activity shows it).',
  ),
  '25P04': INTERRUPTED,
  '57014': INTERRUPTED,
  '57': NOT_READY,
  // A statement prepared on another connection, or before somebody altered the table.
  '0A000': NOT_READY,
  '26000': NOT_READY,
  '42P05': NOT_READY,
}

/** States after which another connection may do better: it may reach the new primary, and prepares its statements anew. */
const WORN_OUT = new Set(['25006', '0A000', '26000', '42P05'])

/** States that show a connection to changing server processes, as a pooler gives. */
const POOLED = new Set(['26000', '42P05'])

/** The typed error for the client library's rejection of a command. */
export const failureOf = judgedBy(judge)

function judge(error: unknown): Verdict {
  if (!isError(error)) return UNKNOWN
  const state = stateOf(error)
  // The library's other rejections concern the connection: refused, reset, closed.
  if (state === undefined) return tlsVerdict(error) ?? UNREACHABLE
  // Every refusal by pg_hba.conf has this state; only the text says what the connection lacked.
  if (state === '28000' && /(no encryption|SSL off)$/.test(error.message)) return NEEDS_TLS
  // What ends a connection, or refuses it, is about its settings and no row.
  if (state.startsWith('22') && isWornOut(error)) return UNKNOWN
  return BY_STATE[state] ?? BY_STATE[state.slice(0, 2)] ?? UNKNOWN
}

/** The SQLSTATE, if the server has answered. */
function stateOf(error: unknown): string | undefined {
  // A failure of the network has a code as well, but no severity.
  if (!isError(error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether the connection that it came by is of no more use. */
export function isWornOut(error: unknown): boolean {
  const state = stateOf(error)
  if (state === undefined || WORN_OUT.has(state)) return true
  return isError(error) && 'severity' in error && error.severity !== 'ERROR'
}

/** Whether the server refused the statement only because it sends messages, for which there is no room. */
export function isQueueFull(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : undefined
  // The same state is that of rows which are too large.
  return stateOf(cause) === '54000' && hasRoutine(cause, 'PreCommit_Notify')
}

export function showsPooler(error: unknown): boolean {
  return POOLED.has(stateOf(error) ?? '')
}

/** Whether a statement succeeded because somebody cancelled its wait for the synchronous replica: a failover may lose what it wrote. */
export function tellsOfReplica(notice: unknown): boolean {
  return hasRoutine(notice, 'SyncRepWaitForLSN')
}

/** Whether that function of the server has said it: the text is in the server's language. */
function hasRoutine(told: unknown, routine: string): boolean {
  return typeof told === 'object' && told !== null && 'routine' in told && told.routine === routine
}

/** The error for such a statement: its outcome is unknown. */
export function unreplicated(): Error {
  return new Error('The server did not wait for its synchronous replica.')
}
