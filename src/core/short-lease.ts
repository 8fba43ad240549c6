import { StoreError } from '../errors.js'

/** A lease that is too short for the way to the store and back. What was taken is given back; a call with a longer one may fare better. */
export class ShortLeaseError extends StoreError {
  constructor(lockName: string, leaseMs: number, cause?: unknown) {
    const hint = `A lease of ${leaseMs} ms leaves too little time for the answer. Ask for a longer one.`
    super('timeout', 'acquire', { lockName, transient: true, cause, hint })
  }
}
