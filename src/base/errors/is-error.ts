import { types } from 'node:util'

/**
 * Whether a value is an error, whichever realm made it. Jest, and Vitest's `vmThreads`, run an application in its own realm: an error
 * that Node throws is no instance of that realm's `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}

/** The code of an error, as Node and client libraries give it: a word. */
export function codeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
