import { InvalidArgumentError } from '../../../base/errors/errors.js'

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The same for all clients that name the server alike. */
  readonly text: string
}

const DEFAULT_PORT = 11_211

/** Of `host`, `host:port`, `[::1]:11211`. */
export function addressOf(text: unknown): Address {
  const match =
    typeof text === 'string' ? /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s/@,]+))(?::(\d{1,5}))?$/i.exec(text) : null
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3] ?? DEFAULT_PORT)
  if (host === undefined || port < 1 || port > 65_535)
    throw new InvalidArgumentError('servers', text, 'addresses such as "cache-1:11211"')
  return { host, port, text: `${host.toLowerCase()}:${port}` }
}
