import { type Address, readAddress } from '../../base/checks/address.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'

/** The accepted forms, for messages. */
const FORMS =
  'redis://[user:password@]host[:port][/db], rediss://…, redis-cluster://host:port,host:port/ or ' +
  'redis-sentinel://host:port,host:port/group, postgres://user:password@host:port/database, mysql://… in the same way, ' +
  'etcd://, zk:// or memcached://[user:password@]host:port,host:port, or sqlite:path'

/** The error for such a URL. It shows no part of it, because any part may be a password. */
export function badUrl(found: string, accepted = FORMS): InvalidArgumentError {
  return new InvalidArgumentError('the server URL', undefined, accepted, { found })
}

/**
 * `URL` does not support lists of hosts, so this parses the parts itself. Messages show no part of an unreadable address, since any part
 * of it may be a password.
 */
const PARTS =
  /^(?<scheme>[a-z-]+):\/\/(?:(?<credentials>.*)@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/i

/** What stands before the colon. */
export function schemeOf(url: string): string {
  return url.slice(0, Math.max(url.indexOf(':'), 0)).toLowerCase()
}

/** The parts of a URL with one host or several, as they stand there. */
export function partsOf(url: string) {
  const parts = PARTS.exec(url)?.groups
  if (!parts) throw badUrl('cannot be read')
  const { scheme = '', credentials, hosts = '', path = '', query = '' } = parts
  return { scheme: scheme.toLowerCase(), credentials, hosts, path, query }
}

export function parseHosts(text: string, defaultPort: number): readonly [Address, ...Address[]] {
  const [first, ...others] = text.split(',').map((each) => {
    const address = readAddress(each, defaultPort)
    if (!address) throw badUrl('has something else where host:port belongs (a password is followed by @)')
    return address
  })
  if (first === undefined) throw badUrl('names no host')
  return [first, ...others]
}

export function parseCredentials(text: string | undefined): [string | undefined, string | undefined] {
  if (text === undefined || text === '') return [undefined, undefined]
  const colon = text.indexOf(':')
  // As in redis-cli: a user without a password is useless, so a lone word must be a mistake.
  if (colon < 0) throw badUrl('has a user but no password', 'user:password@, or :password@')
  const username = decode(text.slice(0, colon))
  return [username === '' ? undefined : username, decode(text.slice(colon + 1))]
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badUrl('has a % that is not followed by two hexadecimal digits', '%25 for a % itself')
  }
}

/** The options behind the question mark, all of which are known. */
export function optionsIn(text: string, known: readonly string[], accepted: string): URLSearchParams {
  const options = new URLSearchParams(text)
  for (const key of options.keys())
    if (!known.includes(key)) throw badUrl('has an option that is not known', accepted)
  return options
}
