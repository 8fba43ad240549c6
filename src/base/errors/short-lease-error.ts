import { StoreError } from './errors.js'

/** The lease ends before the answer arrives. The lock is given back; a call with a longer lease may get it. Callers know it as a `StoreError`. */
export class ShortLeaseError extends StoreError {
  constructor(lockName: string, leaseMs: number, cause?: unknown) {
    const hint = `The answer came when its lease of ${leaseMs} ms was over: the store is slow, or this process stood still. Ask for a longer lease.`
    super('timeout', 'acquire', { lockName, transient: true, cause, hint })
    this.name = StoreError.kind
  }
}
