import type { CoordinationAddress } from './coordination-address.js'
import type { OpenStore } from './database.js'

/** The store on those servers, which connects on first use. Only this one is loaded: every command starts sooner for it. */
export async function coordinationAt(address: CoordinationAddress): Promise<OpenStore> {
  const { kind, servers, tls, credentials, prefix, root } = address
  const close = async (): Promise<void> => undefined
  switch (kind) {
    case 'etcd': {
      const { etcd } = await import('../etcd/index.js')
      return { store: etcd({ hosts: servers, tls: tls ? {} : undefined, credentials, prefix }), close }
    }
    case 'zookeeper': {
      const { zookeeper } = await import('../zookeeper/index.js')
      return { store: zookeeper({ servers, tls, credentials, root }), close }
    }
    case 'memcached': {
      const { memcached } = await import('../memcached/index.js')
      const login = credentials && { username: credentials.user, password: credentials.password }
      return { store: memcached({ servers, tls, credentials: login }), close }
    }
  }
}
