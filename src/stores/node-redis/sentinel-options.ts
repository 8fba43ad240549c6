import { InvalidArgumentError } from '../../base/errors/errors.js'
import { type Address, addressIn, addressMap } from './address.js'
import { PLAIN } from './plain.js'
import { Sentinels } from './sentinels.js'
import { isServerClient, type ServerClient } from './shapes.js'

/** The options of `createSentinel` that Holdfast reads. */
export interface SentinelOptions {
  /** The name of the group. */
  readonly name: string
  /** Where the sentinels are. */
  readonly sentinelRootNodes: ReadonlyArray<{ readonly host?: string; readonly port?: number }>
  /** How to reach the sentinels: user, password, TLS. Holdfast takes nothing of this from the nodes' options. */
  readonly sentinelClientOptions?: object | undefined
  /** Maps the address that the sentinels give for a server to the one that this process can reach. */
  readonly nodeAddressMap?: object | undefined
}

/** @throws `InvalidArgumentError` if they name no group or no sentinels. */
export function sentinelsOf(options: SentinelOptions, node: ServerClient): Sentinels {
  const { name, sentinelRootNodes, sentinelClientOptions = {}, nodeAddressMap } = options
  if (typeof name !== 'string' || name === '')
    throw new InvalidArgumentError('sentinel.name', name, 'the name of a Sentinel group')
  const sentinels = (Array.isArray(sentinelRootNodes) ? sentinelRootNodes : [])
    .map(addressIn)
    .filter((address): address is Address => address !== undefined)
  if (sentinels.length === 0)
    throw new InvalidArgumentError(
      'sentinel.sentinelRootNodes',
      sentinelRootNodes,
      'the addresses of sentinels: [{ host, port }, …]',
    )
  const sentinel = node.duplicate({
    ...PLAIN,
    username: undefined,
    password: undefined,
    credentialsProvider: undefined,
    database: 0,
    socket: {},
    ...sentinelClientOptions,
    // So that their answers are lists, not maps.
    RESP: 2,
  })
  if (!isServerClient(sentinel)) throw new InvalidArgumentError('client', node, 'a client of node-redis')
  const terms = { name, sentinels, addressMap: addressMap(nodeAddressMap), natMap: nodeAddressMap }
  return new Sentinels(sentinel, terms)
}
