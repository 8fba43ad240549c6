/** node-redis 3 brings no types; all that is asked of it. */
declare module 'redis3' {
  import type { EventEmitter } from 'node:events'

  interface Client extends EventEmitter {
    end(flush: boolean): void
  }
  export function createClient(options: { host: string; port: number }): Client
}
