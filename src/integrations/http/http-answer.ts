import { HoldfastError, StoreError, type StoreFailure } from '../../base/errors/errors.js'

/** What a web server answers to a request that failed with an error of Holdfast. It names neither locks nor owners nor servers. */
export interface HttpAnswer {
  readonly statusCode: 409 | 423 | 500 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly statusCode: number
    /** That of the error, for example `LOCK_TIMEOUT`. */
    readonly code: string
    readonly error: string
    readonly message: string
  }
}

/** These do not pass by themselves. */
const MISUSES: readonly StoreFailure[] = ['not-installed', 'wrong-type', 'permission', 'script']

const CONFLICTS = ['LOCK_LOST', 'STALE_FENCE', 'SEQUENCER_STALE', 'VERSION_CONFLICT', 'DEADLOCK']
const OVERLOADS = ['CLOSED', 'TOO_MANY_WAITERS']

const texts = {
  409: ['Conflict', 'The resource was changed by somebody else meanwhile. Try again.'],
  423: ['Locked', 'The resource is in use. Try again.'],
  500: ['Internal Server Error', 'The request failed.'],
  503: ['Service Unavailable', 'The service cannot answer at the moment. Try again.'],
} as const

/**
 * The answer to a request that failed with that error: 423 if the lock was not to be had within `waitMs`, 409 if it was lost or somebody
 * else came first, 503 if the store is down, the client closed or its queue full, and 500 for what repeating does not help. The messages of
 * errors name locks and owners, so they belong into the log.
 *
 * @returns `undefined` if it is no error of Holdfast
 */
export function httpAnswer(error: unknown): HttpAnswer | undefined {
  if (!(error instanceof HoldfastError)) return undefined
  const { code } = error
  const statusCode = statusOf(error)
  const [name, message] = texts[statusCode]
  const passes = statusCode === 423 || statusCode === 503
  return {
    statusCode,
    headers: passes ? { 'retry-after': '1' } : {},
    body: { statusCode, code, error: name, message },
  }
}

function statusOf(error: unknown): HttpAnswer['statusCode'] {
  if (!(error instanceof HoldfastError)) return 503
  if (error instanceof StoreError) return MISUSES.includes(error.reason) ? 500 : 503
  if (error.code === 'LOCK_TIMEOUT') return error.cause === undefined ? 423 : statusOf(error.cause)
  if (CONFLICTS.includes(error.code)) return 409
  return OVERLOADS.includes(error.code) ? 503 : 500
}
