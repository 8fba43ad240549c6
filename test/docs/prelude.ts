/** What stands around a block in the pages that is no complete program: the names a reader takes for granted. */
export const prelude = `
declare const redis: import('ioredis').Redis
declare const holdfast: import('holdfast').Holdfast
declare const lock: import('holdfast').Lock
declare const hold: import('holdfast').Hold
declare const signal: AbortSignal
declare const server: import('node:http').Server
declare const logger: Record<'debug' | 'info' | 'warn' | 'error', (details: object | string, message?: string) => void>
declare function test(name: string, body: () => Promise<void>): void
declare function expect(value: unknown): { toBe(expected: unknown): void }
declare function settle(signal?: AbortSignal): Promise<void>
declare function stop(error: Error): void

// What the pages on migration come from.
declare const redlock: {
  using<Result>(
    resources: string[],
    durationMs: number,
    body: (signal: { aborted: boolean; error?: Error }) => Promise<Result>,
  ): Promise<Result>
}
declare class Semaphore {
  constructor(client: import('ioredis').Redis, key: string, limit: number, options?: { acquireTimeout?: number })
  acquire(): Promise<void>
  release(): Promise<void>
}
declare const verrou: {
  createLock(
    name: string,
    ttl?: string,
  ): { run<Result>(body: () => Promise<Result>): Promise<[true, Result] | [false, null]> }
}
declare class IoredisAdapter {
  constructor(client: import('ioredis').Redis)
}
declare function createLock(config: { adapter: IoredisAdapter; key: string; ttl?: number }): {
  using<Result>(body: (signal: AbortSignal) => Promise<Result>): Promise<Result>
}
declare class Mutex {
  constructor(
    client: import('ioredis').Redis,
    key: string,
    options?: { lockTimeout?: number; onLockLost?: (error: Error) => void },
  )
  acquire(): Promise<void>
  tryAcquire(): Promise<boolean>
  release(): Promise<void>
}
declare const redisson: {
  getLock(name: string): { lock(leaseMs?: bigint): Promise<void>; unlock(): Promise<void> }
}
`
