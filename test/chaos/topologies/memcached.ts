import { raw } from '../../memcached/raw.js'
import { MemcachedServer } from '../../servers/memcached.js'
import { type Topology, wayTo } from './topology.js'

export async function bringMemcached(): Promise<Topology> {
  const cache = await MemcachedServer.start()
  return {
    name: 'memcached',
    servers: [],
    cache,
    ...wayTo(cache, (server) => ({ to: 'memcached', server })),
    async empty() {
      await raw(cache, 'flush_all')
    },
    stop: () => cache.stop(),
  }
}
