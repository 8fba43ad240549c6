import { raw } from '../../memcached/raw.js'
import { MemcachedServer } from '../../servers/memcached.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import type { Topology } from './topology.js'

export async function bringMemcached(): Promise<Topology> {
  const cache = await MemcachedServer.start()
  const to = ({ host, port }: Endpoint): Route => ({ to: 'memcached', server: { host, port } })
  return {
    name: 'memcached',
    servers: [],
    cache,
    direct: to(cache),
    async empty() {
      await raw(cache, 'flush_all')
    },
    async route() {
      const wire = await Wire.before(cache)
      return { route: to(wire), wires: [wire] }
    },
    stop: () => cache.stop(),
  }
}
