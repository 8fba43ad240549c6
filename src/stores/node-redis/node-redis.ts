import { checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { ClusterClient, StandaloneClient } from '../redis/connection/client.js'
import { clientHint, WITH_NODE_REDIS } from '../redis/connection/client-hint.js'
import { NodeRedisCluster } from './cluster.js'
import { nodePattern, termsOfCluster } from './cluster-pattern.js'
import { NodeRedisConnection } from './connection.js'
import { type SentinelOptions, Sentinels } from './sentinels.js'
import {
  isClusterClient,
  isServerClient,
  type NodeRedisClient,
  type NodeRedisCluster as Theirs,
} from './shapes.js'

/** How Holdfast uses a client of node-redis. */
export interface NodeRedisOptions {
  /**
   * The beginning of every lock's key, as with ioredis's option of that name: clients with the same prefix share their locks, whichever
   * library they use.
   * @default ''
   */
  readonly keyPrefix?: string | undefined
}

/** The same for a Sentinel group. */
export interface NodeRedisSentinelOptions extends NodeRedisOptions {
  /** The options for `createSentinel`, from which Holdfast takes the name of the group and its sentinels. */
  readonly sentinel?: SentinelOptions | undefined
}

/**
 * A client of node-redis (the package `redis` or `@redis/client`, versions 5.9 to 6) as Holdfast takes clients:
 * `new Holdfast(nodeRedis(client))`. Sends nothing.
 *
 * Holdfast reads the client's options, makes connections of its own from them, and leaves the client alone: it may be unconnected, busy or
 * closed. With `RESP: 3` among its options Holdfast opens one connection, else two.
 *
 * @param client what `createClient` or `createCluster` returned. For a Sentinel group: a client with the options of its nodes,
 *   `nodeRedis(createClient(nodeClientOptions), { sentinel: options })`; it need not connect to anything.
 * @throws `InvalidArgumentError` if it is something else, or an option is invalid.
 */
export function nodeRedis(client: NodeRedisClient, options?: NodeRedisSentinelOptions): StandaloneClient
export function nodeRedis(client: Theirs, options?: NodeRedisOptions): ClusterClient
export function nodeRedis(
  client: NodeRedisClient | Theirs,
  options: NodeRedisSentinelOptions = {},
): StandaloneClient | ClusterClient {
  checkObject('options', options, ['keyPrefix', 'sentinel'])
  const { keyPrefix = '', sentinel } = options
  if (typeof keyPrefix !== 'string') throw new InvalidArgumentError('keyPrefix', keyPrefix, 'a string')
  // First: it has most of what a client of one server has.
  if (isClusterClient(client)) {
    if (sentinel !== undefined)
      throw new InvalidArgumentError('sentinel', sentinel, 'nothing, beside the client of a cluster')
    const theirs = termsOfCluster(client)
    return new NodeRedisCluster(nodePattern(client, theirs), theirs, keyPrefix)
  }
  if (!isServerClient(client))
    throw new InvalidArgumentError(
      'client',
      client,
      `a client of node-redis 5 or 6 (createClient or createCluster)${clientHint(client, WITH_NODE_REDIS)}`,
    )
  const group = sentinel === undefined ? undefined : new Sentinels(sentinel, client)
  return new NodeRedisConnection(client, group, keyPrefix)
}
