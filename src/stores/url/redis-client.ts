import { offers, required } from '../../base/packages/installed.js'
import type { RedisClient } from '../redis/connection/client.js'
import type { RedisAddress } from './server-address.js'

/** The part of ioredis that this uses. */
export interface Ioredis {
  readonly Redis: new (options: object) => RedisClient
  readonly Cluster: new (nodes: Array<{ host: string; port: number }>, options: object) => RedisClient
}

/** A client for that address, which connects on first use. */
export function redisClientAt(
  address: RedisAddress,
  keyPrefix: string,
  { Redis, Cluster } = required('ioredis', offers<Ioredis>('Redis', 'Cluster'), 'npm install ioredis'),
): RedisClient {
  const { endpoints, username, password, db, tls } = address
  const common = { username, password, tls: tls ? {} : undefined }
  const settings = { lazyConnect: true, keyPrefix }
  if (address.kind === 'cluster') {
    return new Cluster([...endpoints], { ...settings, redisOptions: common })
  }
  if (address.kind === 'standalone') {
    const [{ host, port }] = endpoints
    return new Redis({ ...settings, ...common, host, port, db })
  }
  const { sentinelUsername, sentinelPassword } = address
  return new Redis({
    ...settings,
    ...common,
    db,
    sentinels: [...endpoints],
    name: address.group ?? '',
    enableTLSForSentinelMode: tls,
    sentinelTLS: common.tls,
    sentinelUsername,
    sentinelPassword,
  })
}
