import process from 'node:process'
import { type Address, addressText } from '../../base/checks/address.js'
import { defaultSqliteFile } from '../sqlite/default-file.js'
import { type CoordinationAddress, coordinationAddress } from './coordination-address.js'
import { badUrl, decode, optionsIn, parseCredentials, parseHosts, partsOf, schemeOf } from './server-url.js'

/** Where the locks are, parsed from a URL. */
export type ServerAddress = RedisAddress | DatabaseAddress | CoordinationAddress

/** A database, which its client library finds by the URL; of SQLite the path of the file. */
export interface DatabaseAddress {
  readonly kind: 'postgres' | 'advisory' | 'mysql' | 'get-lock' | 'sqlite'
  readonly url: string
  /** The address for messages, without credentials. */
  readonly shown: string
}

/** A Redis. */
export interface RedisAddress {
  readonly kind: 'standalone' | 'cluster' | 'sentinel'
  readonly endpoints: readonly [Address, ...Address[]]
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly db: number
  /** The Sentinel group's name. */
  readonly group: string | undefined
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
  /** The address for messages, without credentials. */
  readonly shown: string
}

const DATABASES: Readonly<Record<string, DatabaseAddress['kind']>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
  'postgres+advisory': 'advisory',
  'mysql+get-lock': 'get-lock',
  sqlite: 'sqlite',
}

const KINDS: Readonly<Record<string, RedisAddress['kind']>> = {
  redis: 'standalone',
  'redis-cluster': 'cluster',
  'redis-sentinel': 'sentinel',
}

/** Where the locks are when nobody says so in words of the program: where the environment says, or else in a file of this user. */
export function presentAddress(): ServerAddress {
  const { HOLDFAST_URL, HOLDFAST_REDIS_URL } = process.env
  return parseServerUrl(HOLDFAST_URL || HOLDFAST_REDIS_URL || ownFile())
}

/** The file of this user, unless it would be another place than that of the `holdfast run` that has started this. */
function ownFile(): string {
  const file = `sqlite:${defaultSqliteFile()}`
  const { HOLDFAST_SERVER: outer = file } = process.env
  if (outer === file) return file
  const found = `is missing: the holdfast run that has started this uses ${outer}, and does not pass on its URL, which may have a password`
  throw badUrl(found, 'one in HOLDFAST_URL, or after --url')
}

export function parseServerUrl(url: string): ServerAddress {
  const database = DATABASES[schemeOf(url)]
  if (database === 'sqlite') return sqliteAddress(url)
  if (database) return databaseAddress(database, url)
  return coordinationAddress(url) ?? redisAddress(url)
}

function sqliteAddress(url: string): DatabaseAddress {
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\/(?=\/)/, '')
  if (path === '' || path.startsWith('//'))
    throw badUrl('names no file', 'sqlite: and the path of a file, such as sqlite:/var/lib/app/locks.db')
  return { kind: 'sqlite', url: path, shown: `sqlite:${path}` }
}

function databaseAddress(kind: DatabaseAddress['kind'], url: string): DatabaseAddress {
  // Shows nothing of an unreadable URL: any part of it may be a password.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) throw badUrl('cannot be read')
  // A slash ends the host, also one in a password, of which the first part would then be the host and the rest the path.
  if (`${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@'))
    throw badUrl(
      'has an @ behind its host',
      '%40 for an @ in a user, a password, a path or an option, and %2F, %3F and %23 for / ? #',
    )
  // Client libraries know the part before the plus.
  const plain = url.replace(/^([a-z]+)\+[a-z-]+:/i, '$1:')
  return { kind, url: plain, shown: `${parsed.protocol}//${parsed.host}${parsed.pathname}` }
}

function redisAddress(url: string): RedisAddress {
  const parts = partsOf(url)
  const { scheme } = parts
  const tls = scheme.startsWith('rediss')
  const kind = KINDS[scheme.replace(/^rediss/, 'redis')]
  if (kind === undefined) throw badUrl('begins with an unknown scheme')
  const endpoints = endpointsOf(parts.hosts, kind)
  const path = parts.path.split('/').slice(1).map(decode)
  const [group, db] = kind === 'sentinel' ? path : [undefined, ...path]
  if (kind === 'sentinel' && (group ?? '') === '') {
    throw badUrl('names no group', 'the name of the group at its end, such as …:26379/mymaster')
  }
  if (path.length > (kind === 'sentinel' ? 2 : 1)) throw badUrl('has too many parts in its path')
  const [username, password] = parseCredentials(parts.credentials)
  const known = kind === 'sentinel' ? ['sentinelUsername', 'sentinelPassword'] : []
  const query = optionsIn(parts.query, known, 'sentinelUsername and sentinelPassword after redis-sentinel://')
  const where = endpoints.map(addressText)
  return {
    kind,
    endpoints,
    tls,
    username,
    password,
    db: parseDb(db, kind),
    group,
    sentinelUsername: query.get('sentinelUsername') ?? undefined,
    sentinelPassword: query.get('sentinelPassword') ?? undefined,
    shown: `${scheme}://${where.join(',')}${path.length === 0 ? '' : `/${path.join('/')}`}`,
  }
}

function endpointsOf(text: string, kind: RedisAddress['kind']): RedisAddress['endpoints'] {
  const endpoints = parseHosts(text, kind === 'sentinel' ? 26379 : 6379)
  if (kind === 'standalone' && endpoints.length > 1) {
    throw badUrl(
      'has several hosts',
      'one host after redis://, and several after redis-cluster:// or redis-sentinel://',
    )
  }
  return endpoints
}

function parseDb(text: string | undefined, kind: RedisAddress['kind']): number {
  if (text === undefined || text === '') return 0
  if (!/^\d{1,6}$/.test(text))
    throw badUrl('has something else where the number of a database belongs', 'a number, or nothing')
  if (kind === 'cluster' && Number(text) !== 0)
    throw badUrl('names a database of a cluster', '0, because a cluster has no other')
  return Number(text)
}
