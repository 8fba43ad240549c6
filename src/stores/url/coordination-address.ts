import { addressText } from '../../base/checks/address.js'
import { badUrl, decode, optionsIn, parseCredentials, parseHosts, partsOf, schemeOf } from './server-url.js'

/** The servers of etcd, ZooKeeper or memcached. */
export interface CoordinationAddress {
  readonly kind: 'etcd' | 'zookeeper' | 'memcached'
  /** Each as `host:port`. */
  readonly servers: readonly string[]
  readonly tls: boolean
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  /** The prefix of keys in etcd. */
  readonly prefix: string | undefined
  /** Under which node locks are, in ZooKeeper. */
  readonly root: string | undefined
  /** The address for messages, without credentials. */
  readonly shown: string
}

type Scheme = Pick<CoordinationAddress, 'kind' | 'tls'> & { readonly port: number }

const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['etcd', { kind: 'etcd', port: 2379, tls: false }],
  ['etcds', { kind: 'etcd', port: 2379, tls: true }],
  ['zk', { kind: 'zookeeper', port: 2181, tls: false }],
  ['zks', { kind: 'zookeeper', port: 2181, tls: true }],
  ['memcached', { kind: 'memcached', port: 11_211, tls: false }],
  ['memcacheds', { kind: 'memcached', port: 11_211, tls: true }],
])

/** Undefined: the scheme is another one. */
export function coordinationAddress(url: string): CoordinationAddress | undefined {
  const name = schemeOf(url)
  const scheme = SCHEMES.get(name)
  if (!scheme) return undefined
  const { kind, port, tls } = scheme
  const parts = partsOf(url)
  const path = decode(parts.path.replace(/\/$/, ''))
  if (path !== '' && kind !== 'zookeeper') throw badUrl('has a path', `none after ${name}://`)
  const servers = parseHosts(parts.hosts, port).map(addressText)
  return {
    kind,
    servers,
    tls,
    credentials: credentialsOf(parts.credentials),
    prefix:
      optionsIn(parts.query, kind === 'etcd' ? ['prefix'] : [], 'prefix, after etcd://').get('prefix') ??
      undefined,
    root: path === '' ? undefined : path,
    shown: `${name}://${servers.join(',')}${path}`,
  }
}

function credentialsOf(text: string | undefined): CoordinationAddress['credentials'] {
  const [user, password] = parseCredentials(text)
  if (password === undefined) return undefined
  if (user === undefined) throw badUrl('has a password but no user', 'user:password@')
  return { user, password }
}
