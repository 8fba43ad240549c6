import { StoreError } from '../../base/errors/errors.js'

/** The error for a server that is older than what Holdfast works with. */
export function tooOld(product: string, found: string, oldest: string): StoreError {
  return new StoreError('not-ready', 'connect', {
    transient: false,
    hint: `The server is ${product} ${found}; Holdfast needs ${product} ${oldest} or later.`,
  })
}

/** Whether a version, such as `10.11.6`, is below another one of two numbers. */
export function isBelow(version: string, [major, minor]: readonly [major: number, minor: number]): boolean {
  const [first = 0, second = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return first < major || (first === major && second < minor)
}
