import { types } from 'node:util'

/**
 * Whether a value is an error, whichever realm made it. Jest, and Vitest's `vmThreads`, run an application in a realm of its own: an error
 * that Node throws is no instance of that realm's `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}
