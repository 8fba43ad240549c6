import type { HoldfastOptions } from '../../src/index.js'
import type { Endpoint } from '../wire/wire.js'
import type { Terms } from './program/generate.js'

export interface Account {
  readonly user: string
  readonly password: string
}

/** How a worker reaches its store: by proxies of its own. */
export type Route =
  | { readonly to: 'standalone'; readonly server: Endpoint; readonly protocol: 2 | 3 }
  | { readonly to: 'cluster'; readonly nodes: readonly Endpoint[]; readonly natMap: NatMap }
  | {
      readonly to: 'sentinel'
      readonly sentinels: readonly Endpoint[]
      readonly name: string
      readonly natMap: NatMap
    }
  | ({ readonly to: 'postgres'; readonly server: Endpoint } & Account)
  | ({ readonly to: 'mysql'; readonly library: 'mysql2' | 'mariadb'; readonly server: Endpoint } & Account)
  | { readonly to: 'sqlite'; readonly path: string }
  | { readonly to: 'memcached'; readonly server: Endpoint }
  | { readonly to: 'etcd'; readonly hosts: readonly string[] }
  | { readonly to: 'zookeeper'; readonly servers: readonly string[]; readonly root: string }
  | { readonly to: 'quorum'; readonly members: readonly Endpoint[]; readonly restartGuardMs: number }

/** From the address that a server says it has, to the proxy before it. */
export type NatMap = Readonly<Record<string, { host: string; port: number }>>

export interface WorkerOrder extends Terms {
  readonly seed: number
  readonly tasks: number
  readonly route: Route
  readonly options: HoldfastOptions
  readonly history: string
}

export type Command =
  /** Begin no further programs; say when those under way have ended. */
  | { readonly do: 'finish' }
  | { readonly do: 'close' }
  /** Write down what is seen of every lock. */
  | { readonly do: 'look' }
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'reopen'; readonly drainMs: number }

export type Word = 'ready' | 'idle' | 'looked' | 'closed'
