/** What the benchmark uses of redlock 4, which has no types of its own. */
declare module 'redlock-4' {
  import type { Redis } from 'ioredis'

  export interface Lock {
    unlock(): PromiseLike<void>
  }

  export default class Redlock {
    constructor(clients: readonly Redis[], options?: { readonly retryCount?: number })
    lock(resource: string, leaseMs: number): PromiseLike<Lock>
  }
}
