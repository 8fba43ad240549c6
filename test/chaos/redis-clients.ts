import process from 'node:process'
import type { RedisClient } from '../../src/index.js'
import { nodeRedisLibraries } from '../setup/node-redis-libraries.js'
import type { Endpoint } from '../wire/wire.js'
import type { NatMap } from './order.js'

export const chaosClients = ['ioredis-6', ...nodeRedisLibraries] as const
export type ChaosClient = (typeof chaosClients)[number]

export interface RedisClients {
  standalone(server: Endpoint, protocol: 2 | 3): RedisClient
  sentinel(sentinels: readonly Endpoint[], name: string, natMap: NatMap): RedisClient
  cluster(nodes: readonly Endpoint[], natMap: NatMap): RedisClient
}

/** By which what is left of them is found. */
const connectionName = 'application'

/** Those that `HOLDFAST_CLIENT` asks for; a library is loaded where it is used, since workers are to start quickly. */
export async function redisClients(): Promise<RedisClients> {
  const { nodeRedisOf } = process.env['HOLDFAST_CLIENT'] ? await import('../setup/node-redis.js') : {}
  const theirs = nodeRedisOf?.(process.env['HOLDFAST_CLIENT'] ?? '')
  if (theirs)
    return {
      standalone: (server, protocol) => theirs.standalone({ ...server, protocol, connectionName }),
      sentinel: (sentinels, name, natMap) => theirs.sentinel({ sentinels, name, natMap, protocol: 2 }),
      cluster: (nodes, natMap) => theirs.cluster(nodes, { natMap, protocol: 3 }),
    }
  const { Cluster, Redis } = await import('ioredis')
  const lazyConnect = true
  return {
    standalone: ({ host, port }, protocol) =>
      new Redis({ host, port, protocol, lazyConnect, connectionName }),
    sentinel: (sentinels, name, natMap) =>
      new Redis({ sentinels: [...sentinels], name, natMap, lazyConnect, protocol: 2, connectionName }),
    cluster: (nodes, natMap) =>
      new Cluster([...nodes], { lazyConnect, natMap, redisOptions: { connectionName } }),
  }
}
