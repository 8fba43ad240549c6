import { HoldfastError, StoreError } from '../../../src/index.js'

/** How calls end that were not granted, or whose section or release came to grief, for reasons that belong to programs. */
const EXPECTED = ['LOCK_TIMEOUT', 'LOCK_LOST', 'CLOSED']

/** What an error says, in a word; undefined: no program should meet it. */
export function outcomeOf(error: unknown, signal?: AbortSignal): string | undefined {
  if (signal?.aborted && error === signal.reason) return 'aborted'
  if (error instanceof StoreError) return `store:${error.reason}${error.transient ? '' : ':final'}`
  if (error instanceof HoldfastError && EXPECTED.includes(error.code)) return error.code.toLowerCase()
  return undefined
}
