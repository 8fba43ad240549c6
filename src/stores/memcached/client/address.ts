import { type Address, readAddress } from '../../../base/checks/address.js'
import { InvalidArgumentError } from '../../../base/errors/errors.js'

export interface ServerAddress extends Address {
  /** The same for all clients that name the server alike. */
  readonly text: string
}

const DEFAULT_PORT = 11_211

export function addressOf(text: unknown): ServerAddress {
  const address = readAddress(text, DEFAULT_PORT)
  if (!address) throw new InvalidArgumentError('servers', text, 'addresses such as "cache-1:11211"')
  return { ...address, text: `${address.host.toLowerCase()}:${address.port}` }
}
