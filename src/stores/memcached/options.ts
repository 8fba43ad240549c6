import type { ConnectionOptions } from 'node:tls'
import { checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { addressOf, type ServerAddress } from './client/address.js'
import type { Access, Credentials } from './client/server.js'

/** Where the servers are, and how to come to them. */
export interface MemcachedOptions {
  /**
   * The servers that share the locks, as `host`, `host:port` or `[::1]:11211`. Each lock is on one of them, by its name and this list:
   * all processes must name the same servers in the same words, in any order.
   */
  readonly servers: readonly string[]
  /**
   * Connects with TLS: `true`, or options of Node's `tls.connect`, such as `{ ca }`.
   * @default false
   */
  readonly tls?: boolean | ConnectionOptions | undefined
  /**
   * A user and a password of the servers' file (`-Y`), or a function that returns them, which Holdfast calls for each connection. Holdfast
   * does not speak SASL.
   */
  readonly credentials?: Credentials | (() => Credentials | Promise<Credentials>) | undefined
}

export function checkMemcachedOptions(options: MemcachedOptions): {
  readonly addresses: readonly ServerAddress[]
  readonly access: Access
} {
  checkObject('options', options, ['servers', 'tls', 'credentials'])
  const { servers, tls = false, credentials } = options
  if (!Array.isArray(servers) || servers.length === 0)
    throw new InvalidArgumentError('servers', servers, 'an array with the addresses of one server or more')
  const addresses = servers.map(addressOf)
  const twice = addresses.find(
    ({ text }, index) => addresses.findIndex((other) => other.text === text) < index,
  )
  if (twice)
    throw new InvalidArgumentError('servers', servers, 'each server once', { found: 'has one server twice' })
  if (typeof tls !== 'boolean' && (typeof tls !== 'object' || tls === null || Array.isArray(tls)))
    throw new InvalidArgumentError('tls', tls, 'true, false or options of tls.connect')
  if (credentials !== undefined && typeof credentials !== 'function') checkCredentials(credentials)
  return { addresses, access: { tls: tls === true ? {} : tls || undefined, credentials } }
}

function checkCredentials(credentials: Credentials): void {
  checkObject('credentials', credentials, ['username', 'password'])
  const { username, password } = credentials
  if (!isWord(username) || username.includes(':'))
    throw new InvalidArgumentError('credentials.username', username, 'text without spaces and colons')
  if (!isWord(password))
    throw new InvalidArgumentError('credentials.password', password, 'text without spaces')
}

function isWord(text: unknown): text is string {
  return typeof text === 'string' && /^\S+$/.test(text)
}
