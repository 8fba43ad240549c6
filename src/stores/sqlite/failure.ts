import { StoreError, type StoreFailure } from '../../base/errors/errors.js'
import { codeOf, isError } from '../../base/errors/is-error.js'
import { type About, judgedBy, lasts, passes, UNKNOWN, type Verdict } from '../../port/failure.js'

const LOCKED = passes('timeout', 'Another process keeps the database file locked: end its transaction.')

const NO_PERMISSION = lasts(
  'permission',
  'This user must be able to write the file, the files beside it and their folder.',
)

const FULL = lasts('out-of-memory', 'The disk is full, or the file may not grow: make room.')

const READ_ONLY: Verdict = { ...NO_PERMISSION, reason: 'read-only' }

const NO_PLACE = lasts('not-ready', 'No file can be made there: choose another path.')

/** SQLite's result codes: whole ones, and the lowest eight bits of all others. */
const BY_RESULT: Readonly<Record<number, Verdict>> = {
  3: NO_PERMISSION,
  5: LOCKED,
  6: LOCKED,
  7: lasts('out-of-memory'),
  8: READ_ONLY,
  10: passes(
    'unreachable',
    'The disk failed, or somebody deleted, moved or replaced the files at that moment. If it happens again, check the disk and the log of the ' +
      'system.',
  ),
  11: lasts(
    'wrong-type',
    'The database file is damaged: end all processes that use it, and delete it with the two files beside it.',
  ),
  13: FULL,
  14: NO_PERMISSION,
  15: LOCKED,
  17: LOCKED,
  23: NO_PERMISSION,
  26: lasts('wrong-type', 'The file is no SQLite database: choose another path.'),
  // SQLITE_IOERR_SHORT_READ, where the index of the log leads behind the end of the log.
  522: passes(
    'unreachable',
    'The file and the two beside it do not fit together, because somebody has deleted, moved or replaced one of them, or the disk failed: ' +
      'delete all three.',
  ),
  // SQLITE_IOERR_DELETE_NOENT: two processes removed the log of a lost file at once.
  5898: LOCKED,
}

/** The codes of Node's file system. */
const BY_CODE: Readonly<Record<string, Verdict>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: READ_ONLY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOENT: NO_PLACE,
  ENOTDIR: NO_PLACE,
  ENAMETOOLONG: NO_PLACE,
  ELOOP: NO_PLACE,
  EINVAL: NO_PLACE,
}

/** The typed error for an error of the driver or of the file system. */
export const failureOf = judgedBy((error) => {
  const result = resultOf(error)
  return (result === undefined ? BY_CODE[codeOf(error) ?? ''] : verdictOf(result)) ?? UNKNOWN
})

/** Whether the file is locked, so that the same may succeed soon. */
export function isLocked(error: unknown): boolean {
  const result = resultOf(error)
  return result !== undefined && verdictOf(result) === LOCKED
}

/** Whether SQLite itself has failed. */
export function isDriverError(error: unknown): boolean {
  return resultOf(error) !== undefined
}

/** The error for a command that waited too long for the file's lock, and changed nothing. */
export function timeoutOf({ command, lockName }: About, timeoutMs: number, cause: unknown): StoreError {
  return new StoreError('timeout', command, {
    lockName,
    cause,
    transient: true,
    hint: `Other processes have kept the database file locked for ${timeoutMs} ms (commandTimeoutMs): end the transaction that does.`,
  })
}

/** The error for a file that is no place for locks. */
export function unusable(reason: StoreFailure, hint: string): StoreError {
  return new StoreError(reason, 'open', { transient: false, hint })
}

function verdictOf(result: number): Verdict | undefined {
  return BY_RESULT[result] ?? BY_RESULT[result & 0xff]
}

/** SQLite's own code: `errcode` of `node:sqlite`, `rawCode` of libsql. */
function resultOf(error: unknown): number | undefined {
  if (!isError(error)) return undefined
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode
  return undefined
}
