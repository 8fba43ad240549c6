/** Clients of node-redis, made from the options that tests give to ioredis. */
import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import * as oldest from 'redis5-oldest'
import type { ClusterClient, StandaloneClient } from '../../src/index.js'
import { type NodeRedisClient, type NodeRedisCluster, nodeRedis } from '../../src/stores/node-redis/index.js'
import type { Endpoint } from '../wire/wire.js'

type Options = Readonly<Record<string, unknown>>

export interface NodeRedisClients {
  standalone(options: Options): StandaloneClient
  sentinel(
    options: Options & { readonly sentinels: readonly Endpoint[]; readonly name: string },
  ): StandaloneClient
  cluster(startupNodes: readonly Endpoint[], options: Options): ClusterClient
}

export function nodeRedisOf(library: string): NodeRedisClients | undefined {
  return versions.get(library)
}

interface Library {
  createClient(options: object): NodeRedisClient
  createCluster(options: {
    rootNodes: object[]
    defaults: object
    nodeAddressMap: Record<string, Endpoint>
  }): NodeRedisCluster
}

function clientsOf({ createClient, createCluster }: Library): NodeRedisClients {
  // It takes a twentieth of a second to make one, and it is only read.
  const clusters = new Map<string, NodeRedisCluster>()
  return {
    standalone: (options) => nodeRedis(createClient(single(options)), prefixIn(options)),
    sentinel: (options) => {
      const { sentinels, name, natMap } = options
      const sentinel = { name, sentinelRootNodes: sentinels, nodeAddressMap: Object(natMap) }
      return nodeRedis(createClient(single(options)), { ...prefixIn(options), sentinel })
    },
    cluster: (startupNodes, options) => {
      const { redisOptions, natMap, protocol } = options
      const theirs = {
        rootNodes: startupNodes.map(({ host, port }) => ({ socket: { host, port } })),
        defaults: single({ protocol, ...Object(redisOptions) }),
        nodeAddressMap: Object(natMap),
      }
      const key = JSON.stringify(theirs)
      const client = clusters.get(key) ?? createCluster(theirs)
      clusters.set(key, client)
      return nodeRedis(client, prefixIn(options))
    },
  }
}

function prefixIn({ keyPrefix = '' }: Options): { keyPrefix: string } {
  return { keyPrefix: String(keyPrefix) }
}

function single({ host, port, username, password, db, protocol, tls, connectionName, family }: Options) {
  const place = { host: String(host ?? '127.0.0.1'), port: Number(port ?? 6379), family: Number(family ?? 0) }
  return {
    socket: tls === undefined ? place : { ...place, tls: true as const, ...Object(tls) },
    RESP: protocol === 3 ? (3 as const) : (2 as const),
    ...(username !== undefined && { username: String(username) }),
    ...(password !== undefined && { password: String(password) }),
    ...(db !== undefined && { database: Number(db) }),
    ...(connectionName !== undefined && { name: String(connectionName) }),
  }
}

const versions = new Map([
  ['node-redis-5.9', clientsOf(oldest)],
  ['node-redis-5', clientsOf(redis5)],
  ['node-redis-6', clientsOf(redis6)],
])
