import { usageError } from './failure.js'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Where the locks are, parsed from a URL. */
export type ServerAddress = RedisAddress | DatabaseAddress

/** A database, which its client library finds by the URL; of SQLite the path of the file. */
export interface DatabaseAddress {
  readonly kind: 'postgres' | 'mysql' | 'sqlite'
  readonly url: string
  /** The address for messages, without credentials. */
  readonly shown: string
}

/** A Redis. */
export interface RedisAddress {
  readonly kind: 'standalone' | 'cluster' | 'sentinel'
  readonly endpoints: readonly [Endpoint, ...Endpoint[]]
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
  sqlite: 'sqlite',
}

const KINDS: Readonly<Record<string, RedisAddress['kind']>> = {
  redis: 'standalone',
  'redis-cluster': 'cluster',
  'redis-sentinel': 'sentinel',
}

const FORMS =
  'redis://[user:password@]host[:port][/db], rediss://…, redis-cluster://host:port,host:port/ or ' +
  'redis-sentinel://host:port,host:port/group, postgres://user:password@host:port/database, mysql://… in the same way, or sqlite:path'

/**
 * `URL` does not support lists of hosts, so this parses the parts itself. Messages show no part of an unreadable address, since any part
 * of it may be a password.
 */
const PARTS =
  /^(?<scheme>[a-z-]+):\/\/(?:(?<credentials>.*)@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/i

export function parseServerUrl(url: string): ServerAddress {
  const database = DATABASES[url.slice(0, Math.max(url.indexOf(':'), 0)).toLowerCase()]
  if (database === 'sqlite') return sqliteAddress(url)
  if (database) return databaseAddress(database, url)
  return redisAddress(url)
}

function sqliteAddress(url: string): DatabaseAddress {
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\/(?=\/)/, '')
  if (path === '' || path.startsWith('//'))
    throw usageError('A sqlite: URL names a file, such as sqlite:/var/lib/app/locks.db.')
  return { kind: 'sqlite', url: path, shown: `sqlite:${path}` }
}

function databaseAddress(kind: DatabaseAddress['kind'], url: string): DatabaseAddress {
  // What cannot be read is not shown: any part of it may be a password.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) throw usageError(`The server URL cannot be read. Accepted: ${FORMS}.`)
  return { kind, url, shown: `${parsed.protocol}//${parsed.host}${parsed.pathname}` }
}

function redisAddress(url: string): RedisAddress {
  const parts = PARTS.exec(url)?.groups
  if (!parts) throw usageError(`The server URL cannot be read. Accepted: ${FORMS}.`)
  const scheme = (parts['scheme'] ?? '').toLowerCase()
  const tls = scheme.startsWith('rediss')
  const kind = KINDS[scheme.replace(/^rediss/, 'redis')]
  if (kind === undefined)
    throw usageError(`The server URL begins with an unknown scheme. Accepted: ${FORMS}.`)
  const endpoints = parseHosts(parts['hosts'] ?? '', kind)
  const path = (parts['path'] ?? '').split('/').slice(1).map(decode)
  const [group, db] = kind === 'sentinel' ? path : [undefined, ...path]
  if (kind === 'sentinel' && (group ?? '') === '') {
    throw usageError('A redis-sentinel:// URL ends with the name of the group, such as …:26379/mymaster.')
  }
  if (path.length > (kind === 'sentinel' ? 2 : 1))
    throw usageError('The server URL has too many parts in its path.')
  const [username, password] = parseCredentials(parts['credentials'])
  const query = parseQuery(parts['query'] ?? '', kind)
  const where = endpoints.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
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

function parseHosts(text: string, kind: RedisAddress['kind']): RedisAddress['endpoints'] {
  const defaultPort = kind === 'sentinel' ? 26379 : 6379
  const [first, ...others] = text.split(',').map((each) => parseEndpoint(each, defaultPort))
  if (first === undefined) throw usageError('The server URL names no host.')
  if (kind === 'standalone' && others.length > 0) {
    throw usageError('redis:// takes one host; several belong to redis-cluster:// or redis-sentinel://.')
  }
  return [first, ...others]
}

function parseEndpoint(text: string, defaultPort: number): Endpoint {
  const match = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i.exec(text)
  const host = match?.groups?.['six'] ?? match?.groups?.['name']
  const port = Number(match?.groups?.['port'] ?? defaultPort)
  if (host === undefined || port < 1 || port > 65_535) {
    throw usageError(
      `The server URL has something else where host:port belongs (a password is followed by @). Accepted: ${FORMS}.`,
    )
  }
  return { host, port }
}

function parseCredentials(text: string | undefined): [string | undefined, string | undefined] {
  if (text === undefined || text === '') return [undefined, undefined]
  const colon = text.indexOf(':')
  // As in redis-cli: a user without a password is useless, so a lone word must be a mistake.
  if (colon < 0)
    throw usageError('The server URL has a user but no password: write user:password@, or :password@.')
  const username = decode(text.slice(0, colon))
  return [username === '' ? undefined : username, decode(text.slice(colon + 1))]
}

function parseDb(text: string | undefined, kind: RedisAddress['kind']): number {
  if (text === undefined || text === '') return 0
  if (!/^\d{1,6}$/.test(text))
    throw usageError('The server URL has something else where the number of a database belongs.')
  if (kind === 'cluster' && Number(text) !== 0) throw usageError('A cluster has no databases but 0.')
  return Number(text)
}

function parseQuery(text: string, kind: RedisAddress['kind']): URLSearchParams {
  const query = new URLSearchParams(text)
  for (const key of query.keys()) {
    if (kind === 'sentinel' && (key === 'sentinelUsername' || key === 'sentinelPassword')) continue
    throw usageError(
      'The server URL has an option that is not known. redis-sentinel:// takes sentinelUsername and sentinelPassword.',
    )
  }
  return query
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw usageError(
      'The server URL has a % that is not followed by two hexadecimal digits; write %25 for itself.',
    )
  }
}

/** A message without those words of the command line that may be an address, since an address may contain a password. */
export function withoutAddresses(message: string, words: readonly string[]): string {
  const hidden = words.flatMap((word) => {
    const [value] = /(?<=^--[a-z-]+=).+$/is.exec(word) ?? []
    return value ?? (/:\/\/|@/.test(word) ? word : [])
  })
  return hidden.reduce((text, word) => text.replaceAll(word, '…'), message)
}
