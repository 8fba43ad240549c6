/**
 * What Holdfast needs of a client library. Described by shape, so that ioredis 5, ioredis 6 and iovalkey all fit, and Holdfast relies on
 * nothing else of them.
 */
export interface Connectable {
  readonly status: string
  connect(): Promise<unknown>
  disconnect(reconnect?: boolean): void
  /** Flattens lists among its arguments. */
  call(
    command: string,
    ...args: Array<string | number | Buffer | ReadonlyArray<string | number | Buffer>>
  ): Promise<unknown>
  on(event: string, listener: (...args: unknown[]) => void): unknown
  once(event: string, listener: (...args: unknown[]) => void): unknown
}

/** A client of one server or of a Sentinel group: `Redis` of ioredis and iovalkey. */
export interface StandaloneClient extends Connectable {
  readonly isCluster: boolean
  readonly options: {
    readonly keyPrefix?: string | undefined
    readonly host?: string | undefined
    readonly port?: number | undefined
  }
  duplicate(override?: object): StandaloneClient
  subscribe(...channels: string[]): Promise<unknown>
  unsubscribe(...channels: string[]): Promise<unknown>
  ssubscribe(...channels: string[]): Promise<unknown>
  sunsubscribe(...channels: string[]): Promise<unknown>
}

/** A client of a cluster: `Cluster` of ioredis and iovalkey. */
export interface ClusterClient extends Connectable {
  readonly isCluster: boolean
  readonly options: { readonly keyPrefix?: string | undefined; readonly redisOptions?: object | undefined }
  /** For each slot the nodes that serve it as "host:port", the master first. */
  readonly slots: ReadonlyArray<readonly string[]>
  duplicate(overrideStartupNodes?: never[], overrideOptions?: object): ClusterClient
  nodes(role?: 'master'): StandaloneClient[]
  /** Makes the client read the slots again; absent if it does so by itself. */
  refreshSlotsCache?(): void
}

/** An ioredis or iovalkey client. */
export type RedisClient = StandaloneClient | ClusterClient

/** Whether the value looks like a client, by the members that Holdfast uses. */
export function isClient(value: unknown): value is RedisClient {
  return (
    typeof value === 'object' &&
    value !== null &&
    'isCluster' in value &&
    'duplicate' in value &&
    typeof value.duplicate === 'function' &&
    'options' in value
  )
}

export function isCluster(client: RedisClient): client is ClusterClient {
  return client.isCluster
}
