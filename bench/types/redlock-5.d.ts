/** What the benchmark uses of redlock 5, whose types its `exports` hide. */
declare module 'redlock-5' {
  import type { Redis } from 'ioredis'

  export interface Lock {
    release(): Promise<unknown>
  }

  export default class Redlock {
    constructor(clients: Iterable<Redis>, options?: { readonly retryCount?: number })
    acquire(resources: string[], leaseMs: number): Promise<Lock>
    on(event: 'error', listener: (error: unknown) => void): this
  }
}
