export type { ClusterClient, Connectable, RedisClient, StandaloneClient } from '../redis/connection/client.js'
export { type NodeRedisOptions, type NodeRedisSentinelOptions, nodeRedis } from './node-redis.js'
export type { SentinelOptions } from './sentinels.js'
export type { NodeRedisClient, NodeRedisCluster } from './shapes.js'
