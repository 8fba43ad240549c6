import { StoreError } from './errors.js'

/** The lease ends before the answer arrives. The lock is given back; a call with a longer lease may get it. */
export class ShortLeaseError extends StoreError {
  constructor(lockName: string, leaseMs: number, cause?: unknown) {
    const hint = `A lease of ${leaseMs} ms leaves too little time for the answer. Ask for a longer one.`
    super('timeout', 'acquire', { lockName, transient: true, cause, hint })
  }
}
