import type { ConnectionOptions } from 'node:tls'
import { checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { EtcdAddress } from './client/connections.js'

/** Where etcd is, and how it keeps locks. */
export interface EtcdOptions {
  /**
   * The servers of one cluster: `host:port`, or a URL that begins with `http://` or `https://`. A client talks to the first that answers,
   * and goes on to the next when that fails. Without a scheme it is `https` if `tls` is set. The port is 2379 if there is none.
   */
  readonly hosts: string | readonly string[]
  /** As for `tls.connect` of Node: `ca`, and `cert` and `key` where the servers ask for a client certificate. */
  readonly tls?: ConnectionOptions | undefined
  /** A user of etcd. */
  readonly credentials?: { readonly user: string; readonly password: string } | undefined
  /**
   * What the keys of all locks begin with. All programs that share locks need the same prefix. With `''`, the lock `NAME` is that of
   * `etcdctl lock NAME` and of Go's `concurrency.NewMutex(session, "NAME")`.
   * @default 'holdfast/'
   */
  readonly prefix?: string | undefined
}

const PORT = '2379'

/** The options, checked and with their defaults. */
export function checkEtcdOptions(options: EtcdOptions): {
  readonly address: EtcdAddress
  readonly prefix: string
} {
  checkObject('options', options, ['hosts', 'tls', 'credentials', 'prefix'])
  const { hosts, tls, credentials, prefix = 'holdfast/' } = options
  if (tls !== undefined && (typeof tls !== 'object' || tls === null))
    throw new InvalidArgumentError('tls', tls, 'an object of options for TLS')
  if (typeof prefix !== 'string' || !prefix.isWellFormed())
    throw new InvalidArgumentError('prefix', prefix, 'a string of well-formed Unicode')
  return {
    address: {
      hosts: checkHosts(hosts, tls ? 'https' : 'http'),
      tls,
      credentials: credentials === undefined ? undefined : checkCredentials(credentials),
    },
    prefix,
  }
}

function checkHosts(hosts: unknown, scheme: string): string[] {
  const all: unknown[] = Array.isArray(hosts) ? hosts : [hosts]
  if (all.length === 0) throw new InvalidArgumentError('hosts', hosts, 'at least one host')
  return all.map((host) => {
    const text = typeof host === 'string' && !host.includes('://') ? `${scheme}://${host}` : host
    const url = typeof text === 'string' ? parse(text) : undefined
    // A URL drops the usual port of its scheme.
    const port = /:(\d+)\/?$/.exec(String(text))?.[1] ?? PORT
    if (!url) throw new InvalidArgumentError('hosts', host, "'host:port', or a URL with http:// or https://")
    return `${url.protocol}//${url.hostname}:${port}`
  })
}

/** Refuses all else that a URL may say (a user, a path) without repeating it: it may be a secret. */
function parse(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url?.username === '' && url.password === '' && /^\/?$/.test(url.pathname) && url.search === ''
  return plain && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

function checkCredentials(given: unknown): { user: string; password: string } {
  if (typeof given === 'object' && given !== null && 'user' in given && 'password' in given) {
    const { user, password } = given
    if (typeof user === 'string' && user !== '' && typeof password === 'string') return { user, password }
  }
  throw new InvalidArgumentError('credentials', given, 'an object with user and password, both strings')
}
