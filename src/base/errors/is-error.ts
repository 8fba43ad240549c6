import { types } from 'node:util'

/**
 * Whether that is an error, of whichever realm: Jest, and Vitest's `vmThreads`, run an application's code in a context of its own, where
 * what Node throws is no instance of that context's `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}
