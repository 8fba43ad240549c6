import { StoreError, type StoreFailure } from '../../../base/errors/errors.js'
import { isError } from '../../../base/errors/is-error.js'

/** An error as it passes between threads, which drop classes and their fields. */
export interface ToldFailure {
  readonly message: string
  readonly lockName?: string | undefined
  readonly store?:
    | { readonly reason: StoreFailure; readonly command: string; readonly transient: boolean }
    | undefined
  readonly cause?: ToldFailure | undefined
}

export function tellFailure(error: unknown): ToldFailure {
  if (!isError(error)) return { message: String(error) }
  const cause = error.cause === undefined ? undefined : tellFailure(error.cause)
  if (!(error instanceof StoreError)) return { message: error.message, cause }
  const { message, lockName, reason, command, transient } = error
  return { message, lockName, store: { reason, command, transient }, cause }
}

/** Makes the error again, with its text. */
export function failureTold({ message, lockName, store, cause }: ToldFailure): Error {
  const told = cause && failureTold(cause)
  if (!store) return new Error(message, told && { cause: told })
  const error = new StoreError(store.reason, store.command, {
    lockName,
    transient: store.transient,
    ...(told && { cause: told }),
  })
  error.message = message
  return error
}
