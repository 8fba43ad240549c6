/**
 * What Holdfast needs of node-redis, described by shape: the package `redis` and `@redis/client` alone both fit, with whatever modules and
 * scripts the application has added.
 */

/** A client of node-redis for one server: what `createClient` returns. */
export interface NodeRedisClient {
  readonly isReady: boolean
  duplicate(overrides?: never): object
  sendCommand(...command: never): Promise<unknown>
  unref(): void
}

/** A client of node-redis for a cluster: what `createCluster` returns. */
export interface NodeRedisCluster {
  readonly masters: readonly object[]
  duplicate(overrides?: never): object
  nodeClient(node: never): unknown
}

/** A client of one server, with what Holdfast calls on those that it has made. */
export interface ServerClient {
  readonly options?: object | undefined
  connect(): Promise<unknown>
  destroy(): void
  duplicate(overrides: object): unknown
  on(event: string, listener: (...told: unknown[]) => void): unknown
  sendCommand(words: ReadonlyArray<string | Buffer>): Promise<unknown>
  subscribe(channel: string, listener: Heard): Promise<unknown>
  unsubscribe(channel: string, listener: Heard): Promise<unknown>
  sSubscribe(channel: string, listener: Heard): Promise<unknown>
  sUnsubscribe(channel: string, listener: Heard): Promise<unknown>
  unref(): void
}

/** A client of a cluster, with what Holdfast calls on those that it has made. */
export interface ClusterClientOfTheirs {
  duplicate(overrides: object): unknown
  on(event: string, listener: (...told: unknown[]) => void): unknown
  nodeClient(node: object): Promise<unknown>
}

/** Called with a message and its channel. */
export type Heard = (text: string, channel: string) => void

export function isServerClient(value: unknown): value is ServerClient {
  // Before version 5, `destroy` had the name `disconnect`.
  return hasMethods(value, ['connect', 'destroy', 'duplicate', 'sendCommand', 'sSubscribe', 'unref'])
}

export function isClusterClient(value: unknown): value is ClusterClientOfTheirs {
  return hasMethods(value, ['duplicate', 'nodeClient', 'destroy', 'on'])
}

/** The field of an object that has it. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The field, if it is an object. */
export function objectIn(value: unknown, name: string): object | undefined {
  const field = fieldOf(value, name)
  return typeof field === 'object' && field !== null ? field : undefined
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof fieldOf(value, name) === 'function')
}
