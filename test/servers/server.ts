import type { How } from './launch.js'

/** One server of a test, a demo or a benchmark, and what can be done to it. */
export interface Server {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Product and version as the server says them, such as `Redis 7.0.15`. */
  readonly version: string
  /** Where it came from; `url` is a server named by `HOLDFAST_REDIS_URL`, which is used and left alone. */
  readonly how: How | 'url'
  readonly pid: number | undefined
  /** Makes it hang, as SIGSTOP does: connections stay open, nothing is answered. */
  pause(): Promise<void>
  /** Ends a pause; what was sent meanwhile is then worked off. */
  resume(): Promise<void>
  /** Ends it as a crash would, with its data unless it was started with `--appendonly yes`. */
  kill(): Promise<void>
  /**
   * Ends it, if it runs, and starts it again on the same port. With `keepData` a running server saves before it ends;
   * without, it comes back empty. Resolves when it answers.
   */
  restart(options: { readonly keepData: boolean }): Promise<void>
  /** Ends it for good and removes its folder. A second call does nothing. */
  stop(): Promise<void>
}
