import type { Address } from '../../base/checks/address.js'
import { fieldOf } from './shapes.js'

/** Maps an address that servers report to the one that this process can reach (`nodeAddressMap`). */
export type AddressMap = (told: Address) => Address

export function textOf({ host, port }: Address): string {
  return `${host}:${port}`
}

/** The application's map: an object, a function or none. */
export function addressMap(theirs: unknown): AddressMap {
  return (told) => {
    const text = textOf(told)
    const mapped =
      typeof theirs === 'function' ? Reflect.apply(theirs, undefined, [text]) : fieldOf(theirs, text)
    return addressIn(mapped) ?? told
  }
}

/** Reads `{ host, port }`. */
export function addressIn(value: unknown): Address | undefined {
  const host = fieldOf(value, 'host')
  return typeof host === 'string' ? { host, port: Number(fieldOf(value, 'port') ?? 6379) } : undefined
}

/** Reads "host:port", of which the host may be missing, and may have colons of its own. */
export function parseAddress(text: string, sameHost: string): Address {
  const colon = text.lastIndexOf(':')
  return { host: text.slice(0, colon) || sameHost, port: Number(text.slice(colon + 1)) }
}
