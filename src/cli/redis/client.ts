import type { RedisClient } from '../../redis/connection/client.js'
import { clientLibrary } from '../client-library.js'
import type { RedisAddress } from '../server-address.js'

/** A client for that address, which connects on first use. */
export async function clientOf(address: RedisAddress, keyPrefix: string): Promise<RedisClient> {
  const { Cluster, Redis } = await clientLibrary('ioredis', () => import('ioredis'))
  const { endpoints, username, password, db, tls } = address
  const common = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  }
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
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  })
}
