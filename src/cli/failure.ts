import process from 'node:process'
import {
  HoldfastError,
  InvalidArgumentError,
  LockTimeoutError,
  StoreError,
  type StoreFailure,
} from '../base/errors/errors.js'
import { clean } from '../base/errors/holdfast-error.js'
import { isError } from '../base/errors/is-error.js'
import { UnsupportedKindError } from '../base/errors/unsupported-kind-error.js'
import { ownerText } from '../base/identity/label.js'
import { exitCodes } from './exit-codes.js'
import { timeText } from './time-text.js'

/** A failure that the command line itself has found: what happened, and what to do. */
export class CliError extends Error {
  constructor(
    readonly exitCode: number,
    readonly code: string,
    message: string,
    details: { lock?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.lock = details.lock
  }

  readonly lock: string | undefined
}

/** The caller's mistake. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, 'USAGE', message)
}

/** An error as the program reports it. */
export interface Failure {
  readonly exitCode: number
  /** Stable, for programs. */
  readonly code: string
  readonly message: string
  readonly lock: string | undefined
}

const BY_REASON: Readonly<Record<StoreFailure, number>> = {
  unreachable: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  'not-ready': exitCodes.unavailable,
  'not-installed': exitCodes.notInstalled,
  'wrong-type': exitCodes.notALock,
  permission: exitCodes.noPermission,
  'out-of-memory': exitCodes.unavailable,
  'read-only': exitCodes.unavailable,
  replicas: exitCodes.unavailable,
  script: exitCodes.internal,
  unreadable: exitCodes.unavailable,
  unknown: exitCodes.internal,
}

/** What the program reports of an error. `server` is the server's name in messages. */
export function failureOf(error: unknown, server: string | undefined): Failure {
  if (error instanceof CliError) {
    return { exitCode: error.exitCode, code: error.code, message: error.message, lock: error.lock }
  }
  if (error instanceof LockTimeoutError) {
    // The wait ended because the server was silent, not because another owner held the lock.
    return error.cause === undefined ? busy(error) : failureOf(error.cause, server)
  }
  if (error instanceof StoreError)
    return told(
      error,
      lacksDatabase(error) ? exitCodes.usage : BY_REASON[error.reason],
      storeText(error, server),
    )
  if (error instanceof InvalidArgumentError || error instanceof UnsupportedKindError)
    return told(error, exitCodes.usage, error.message)
  if (error instanceof HoldfastError) return told(error, exitCodes.internal, error.message)
  const known = clean(error)
  const message = isError(known) ? known.message : String(known)
  return { exitCode: exitCodes.internal, code: 'INTERNAL', message, lock: undefined }
}

/** The stack, for finding a fault in this program. */
export function stackOf(error: unknown): string | undefined {
  if ((process.env['HOLDFAST_DEBUG'] ?? '') === '' || !isError(error)) return undefined
  const cause = clean(error.cause)
  const shown = error instanceof CliError ? error : clean(error)
  const stack = isError(shown) ? shown.stack : ''
  return isError(cause) ? `${stack}\n  caused by: ${cause.stack}` : stack
}

function busy(error: LockTimeoutError): Failure {
  return told(error, exitCodes.busy, busyText(error, `lock "${error.lockName}"`))
}

/** The message for a lock or semaphore that is busy; `called` names it. It does not name the holders of permits. */
export function busyText(error: LockTimeoutError, called: string): string {
  const waited = error.waitedMs < 1 ? '' : ` after ${timeText(error.waitedMs)}`
  const by = called.startsWith('lock')
    ? `held by ${error.holder === undefined ? 'another owner' : ownerText(error.holder, error.heldSince)}`
    : 'too few permits are left'
  return `${called} is busy: ${by}; gave up${waited}. Wait longer with --wait.`
}

function storeText(error: StoreError, server = 'the server'): string {
  const { cause, lockName } = error
  const lock = lockName === undefined ? '' : `lock "${lockName}": `
  const why = isError(cause) && cause.message !== '' ? ` (${cause.message.replace(/\.$/, '')})` : ''
  const check = 'Check --url or HOLDFAST_URL'
  if (lacksDatabase(error)) return `${lock}${server} has no such database${why}. ${check}.`
  // Nobody logs in to a file, nor does it run.
  if (server.startsWith('sqlite:')) return `${error.message} [${server}]`
  switch (error.reason) {
    case 'unreachable':
      return `${lock}cannot reach ${server}${why}. ${check}, and that the server runs.`
    case 'timeout':
      return `${lock}${server} did not answer in time. ${check}, and that the server is healthy.`
    case 'permission':
      return `${lock}${server} refuses this${why}. Check user, password and rights.`
    // Elsewhere it is the file or the table that is none for locks, as the store says.
    case 'wrong-type':
      if (!server.startsWith('redis')) return `${error.message} [${server}]`
      return `${lock}the key holds something other than a lock. Choose another name, or --key-prefix.`
    default:
      return `${error.message} [${server}]`
  }
}

/** Whether the server has no database of that name or number: the address is wrong, although the failure counts as a refusal. */
function lacksDatabase({ cause }: StoreError): boolean {
  if (!isError(cause)) return false
  const code = 'code' in cause ? cause.code : undefined
  return (
    code === '3D000' || code === 'ER_BAD_DB_ERROR' || /DB index is|SELECT is not allowed/.test(cause.message)
  )
}

function told(error: HoldfastError, exitCode: number, message: string): Failure {
  return { exitCode, code: error.code, message, lock: error.lockName }
}
