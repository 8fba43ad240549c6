import type { Address } from '../../base/checks/address.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { type AddressMap, addressMap } from './address.js'
import { followLogin, PLAIN } from './options.js'
import {
  type ClusterClientOfTheirs,
  fieldOf,
  isClusterClient,
  isServerClient,
  objectIn,
  type ServerClient,
} from './shapes.js'

/** The options of a cluster's client, read. */
export interface ClusterTerms {
  readonly startupNodes: readonly Address[]
  readonly addressMap: AddressMap
  /** The map itself, for a thread that has to reach the cluster as well. */
  readonly natMap: unknown
  /** What its nodes have in common. */
  readonly defaults: object
  /** The application's own object of them, in which it may change user and password. */
  readonly login: object | undefined
}

/**
 * Clients of a cluster hide their options, but pass them to the class of which they make duplicates. So this gives them a class that only
 * keeps them.
 */
export function termsOfCluster(client: ClusterClientOfTheirs): ClusterTerms {
  let options: unknown
  function Listener(told: unknown): void {
    options = told
  }
  const listener = Object.create({ constructor: Listener }, { _self: { value: fieldOf(client, '_self') } })
  Reflect.apply(client.duplicate, listener, [{}])
  const rootNodes = fieldOf(options, 'rootNodes')
  const startupNodes = (Array.isArray(rootNodes) ? rootNodes : []).map(addressOfNode)
  if (startupNodes.length === 0)
    throw new InvalidArgumentError('client', client, 'a client of a cluster that has rootNodes')
  const natMap = fieldOf(options, 'nodeAddressMap')
  const RESP = fieldOf(options, 'RESP')
  const defaults = { ...(RESP !== undefined && { RESP }), ...objectIn(options, 'defaults') }
  const login = objectIn(options, 'defaults')
  return { startupNodes, addressMap: addressMap(natMap), natMap, defaults, login }
}

/** To make one takes node-redis tens of milliseconds. */
const patterns = new WeakMap<ClusterClientOfTheirs, ServerClient>()

/** A client with the options of that cluster's nodes, as a pattern for others. */
export function nodePattern(client: ClusterClientOfTheirs, terms: ClusterTerms): ServerClient {
  const known = patterns.get(client) ?? makePattern(client, terms)
  patterns.set(client, known)
  return known
}

/** node-redis connects a node's client while making it: this one cannot find its address. */
function makePattern(client: ClusterClientOfTheirs, { defaults, login }: ClusterTerms): ServerClient {
  const nowhere = (_host: string, _options: unknown, found: (error: Error) => void): void =>
    found(new Error('This client is only a pattern.'))
  const socket = objectIn(defaults, 'socket')
  const cluster = client.duplicate({
    nodeAddressMap: undefined,
    defaults: { ...defaults, ...PLAIN, socket: { ...socket, lookup: nowhere, reconnectStrategy: false } },
  })
  if (isClusterClient(cluster)) {
    const node = { host: 'pattern.invalid', port: 0, address: 'pattern.invalid:0', readonly: false }
    cluster.on('error', ignore)
    cluster.nodeClient(node).catch(ignore)
    // The field `client` holds an object that only inherits from the client.
    const made = fieldOf(fieldOf(node, 'client'), '_self')
    if (isServerClient(made)) {
      made.on('error', ignore)
      // Without a provider of the application's it makes one of its own options, and tells what these say at the moment.
      const credentialsProvider = fieldOf(defaults, 'credentialsProvider')
      const pattern = made.duplicate({ ...defaults, ...PLAIN, credentialsProvider, socket: { ...socket } })
      if (isServerClient(pattern)) {
        if (pattern.options) followLogin(pattern.options, login)
        return pattern
      }
    }
  }
  throw new InvalidArgumentError(
    'client',
    client,
    'a client of a cluster whose nodes have clients of node-redis',
  )
}

function ignore(): undefined {
  return undefined
}

/** The address of a root node, which the application gives as a URL or as options of a socket. */
function addressOfNode(node: unknown): Address {
  const url = fieldOf(node, 'url')
  const { hostname, port } = typeof url === 'string' ? new URL(url) : { hostname: '', port: '' }
  const socket = objectIn(node, 'socket')
  const host = fieldOf(socket, 'host') ?? (hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost')
  return { host: String(host), port: Number(fieldOf(socket, 'port') ?? (port || 6379)) }
}
