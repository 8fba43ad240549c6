import type { ConnectionOptions } from 'node:tls'
import type { Address } from '../../base/checks/address.js'
import { checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { parseServers } from './client/address.js'
import type { Permission } from './client/operations.js'

/** How {@link zookeeper} reaches an ensemble, and where in it locks are. */
export interface ZooKeeperOptions {
  /**
   * The servers of the ensemble: `'zoo1:2181,zoo2:2181'`, or a list of such addresses. A client connects to one of them, and to another
   * when that fails. Without a port: 2181.
   */
  readonly servers: string | readonly string[]
  /**
   * The node under which the locks are: the lock `invoice` is Curator's `InterProcessMutex` on `<root>/invoice`. Holdfast creates the root
   * if it is missing.
   * @default '/holdfast'
   */
  readonly root?: string | undefined
  /**
   * The client's user and password, for the scheme `digest`. Only this user may then use the nodes that the client makes, unless `acl` says
   * otherwise.
   */
  readonly credentials?: { readonly user: string; readonly password: string } | undefined
  /**
   * Who may use the nodes that the client makes: whoever has the same credentials, or anybody. Clients that share a lock must be able to
   * use each other's nodes.
   * @default 'creator' with credentials, otherwise 'anyone'
   */
  readonly acl?: 'creator' | 'anyone' | undefined
  /**
   * Connects with TLS: the options of `tls.connect`, such as `{ ca }`, with `{ cert, key }` if the servers ask for a certificate. `true`:
   * with Node's own authorities.
   */
  readonly tls?: ConnectionOptions | boolean | undefined
}

/** The options, checked and with their defaults. */
export interface ZooKeeperTerms {
  readonly servers: readonly Address[]
  /** Begins with a slash and does not end with one. */
  readonly root: string
  readonly identity: { readonly scheme: string; readonly auth: string } | undefined
  readonly acl: readonly Permission[]
  readonly tls: ConnectionOptions | undefined
}

const DEFAULT_ROOT = '/holdfast'

/** Parts that ZooKeeper takes, and of which none looks like one of our escapes. */
const ROOT =
  /^(?!\/zookeeper(?:\/|$))(?:\/(?!\.{1,2}(?:\/|$))[^/%\p{Cc}\p{Co}\p{Cs}\u{10000}-\u{10ffff}]+)+$/u

export function checkZooKeeperOptions(options: ZooKeeperOptions): ZooKeeperTerms {
  checkObject('options', options, ['servers', 'root', 'credentials', 'acl', 'tls'])
  const { servers, root = DEFAULT_ROOT, credentials, tls = false } = options
  if (typeof root !== 'string' || !ROOT.test(root))
    throw new InvalidArgumentError(
      'root',
      root,
      "a path such as '/locks/orders', without % and without a slash at its end",
    )
  const auth = credentials === undefined ? undefined : authOf(credentials)
  const { acl = auth === undefined ? 'anyone' : 'creator' } = options
  if (acl !== 'creator' && acl !== 'anyone')
    throw new InvalidArgumentError('acl', acl, "'creator' or 'anyone'")
  if (acl === 'creator' && auth === undefined && tls === false)
    throw new InvalidArgumentError('acl', acl, "'anyone', since there are neither credentials nor tls")
  if (typeof tls !== 'boolean' && (typeof tls !== 'object' || tls === null))
    throw new InvalidArgumentError('tls', tls, 'options of tls.connect, or true')
  return {
    servers: parseServers(servers),
    root,
    identity: auth === undefined ? undefined : { scheme: 'digest', auth },
    acl: [acl === 'creator' ? { scheme: 'auth', id: '' } : { scheme: 'world', id: 'anyone' }],
    tls: tls === true ? {} : tls || undefined,
  }
}

function authOf(credentials: unknown): string {
  checkObject('credentials', credentials, ['user', 'password'])
  const { user, password } = { user: undefined, password: undefined, ...Object(credentials) }
  if (typeof user !== 'string' || user === '' || user.includes(':'))
    throw new InvalidArgumentError('credentials.user', user, 'a name without a colon')
  if (typeof password !== 'string')
    throw new InvalidArgumentError('credentials.password', password, 'a string')
  return `${user}:${password}`
}
