import { StoreError, type StoreFailure } from '../base/errors/errors.js'

/** What a command was about, for its errors. */
export interface About {
  readonly command: string
  readonly lockName?: string | undefined
}

/** What a failure of a server means for a lock. */
export interface Verdict {
  readonly reason: StoreFailure
  /** Whether the same command may succeed a moment later. Its outcome is then unknown. */
  readonly transient: boolean
  readonly hint?: string | undefined
}

/** What may pass by itself: the same command may succeed a moment later. */
export function passes(reason: StoreFailure, hint?: string): Verdict {
  return { reason, transient: true, hint }
}

/** What lasts until somebody does something about it. */
export function lasts(reason: StoreFailure, hint?: string): Verdict {
  return { reason, transient: false, hint }
}

export const NOT_READY = passes('not-ready')
export const UNREACHABLE = passes('unreachable')
export const UNKNOWN = lasts('unknown')

/** Makes the typed error for what a client library rejected a command with. */
export function judgedBy(judge: (error: unknown) => Verdict): (error: unknown, about: About) => StoreError {
  return (error, { command, lockName }) => {
    if (error instanceof StoreError) return error
    const { reason, transient, hint } = judge(error)
    return new StoreError(reason, command, { lockName, cause: error, transient, hint })
  }
}

/** The error of a call whose command had no answer in time. */
export function noAnswer(lockName: string, kind?: { readonly asks?: string | undefined }): StoreError {
  return new StoreError('timeout', kind?.asks ?? 'acquire', {
    lockName,
    transient: true,
    hint: 'The store did not answer: check that it runs.',
  })
}

/** The error for a command without an answer in time (rule C3). Its outcome is unknown. */
export function timeoutOf(
  { command, lockName }: About,
  timeoutMs: number,
  server = 'The server',
): StoreError {
  return new StoreError('timeout', command, {
    lockName,
    transient: true,
    hint: `${server} did not answer within ${Math.max(Math.round(timeoutMs), 0)} ms: check its load.`,
  })
}

/** The error for a command of a closed client. */
export function closedError({ command, lockName }: About): StoreError {
  return new StoreError('unreachable', command, {
    lockName,
    transient: false,
    hint: 'The client was closed: create a new one.',
  })
}

/** Whether a repetition of the request may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}

/**
 * Whether the same request may succeed later: the store fails for the moment, or has no room. (A call reports the latter at once, since it
 * may last.)
 */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof StoreError && error.reason === 'out-of-memory')
}
