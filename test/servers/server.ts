import type { How } from './launch.js'
import type { ServerProgram } from './server-program.js'

/** One server of a test, a demo or a benchmark, and what can be done to it. */
export interface Server extends Pick<ServerProgram, 'port' | 'pid' | 'pause' | 'resume' | 'kill' | 'stop'> {
  readonly host: string
  readonly url: string
  /** Product and version as the server says them, such as `Redis 7.0.15`. */
  readonly version: string
  /** Where it came from; `url` is a server named by `HOLDFAST_REDIS_URL`, which is used and left alone. */
  readonly how: How | 'url'
  /**
   * Ends it, if it runs, and starts it again on the same port. With `keepData` a running server saves before it ends;
   * without, it comes back empty. Resolves when it answers.
   */
  restart(options: { readonly keepData: boolean }): Promise<void>
}
