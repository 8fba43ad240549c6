import { Cluster, Redis } from 'ioredis'
import { quorum, type RedisClient, type Store } from '../../src/index.js'
import type { Endpoint, Route } from './order.js'

/** What a `Holdfast` is made from, at the end of a route. */
export function storeAt(route: Route): { store: RedisClient | Store; disconnect(): void } {
  switch (route.to) {
    case 'standalone': {
      const store = single(route.server, route.protocol)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'cluster': {
      const store = new Cluster([...route.nodes], { lazyConnect: true, natMap: route.natMap })
      store.on('error', () => undefined)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'sentinel': {
      const { sentinels, name, natMap } = route
      const store = new Redis({ sentinels: [...sentinels], name, natMap, lazyConnect: true, protocol: 2 })
      store.on('error', () => undefined)
      return { store, disconnect: () => store.disconnect() }
    }
    case 'quorum': {
      const members = route.members.map((member) => single(member, 2))
      return {
        store: quorum(members, { restartGuardMs: route.restartGuardMs }),
        disconnect: () => {
          for (const member of members) member.disconnect()
        },
      }
    }
  }
}

function single({ host, port }: Endpoint, protocol: 2 | 3): Redis {
  const client = new Redis({ host, port, protocol, lazyConnect: true })
  client.on('error', () => undefined)
  return client
}
