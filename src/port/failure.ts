import { StoreError } from '../base/errors/errors.js'

/** What a call reports whose command was not answered in time. */
export function noAnswer(lockName: string, kind?: { readonly asks?: string | undefined }): StoreError {
  return new StoreError('timeout', kind?.asks ?? 'acquire', {
    lockName,
    transient: true,
    hint: 'The store did not answer.',
  })
}

/** Whether the same request may succeed when it is sent again. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && error.transient
}

/**
 * Whether it may be carried out later as it is: the store fails for the moment, or has no room. (Calls are told of the latter at once: it may
 * last.)
 */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof StoreError && error.reason === 'out-of-memory')
}
