import { InvalidArgumentError } from '../errors/errors.js'
import { optionHint } from './former-names.js'

/** The longest name, in UTF-16 units: room for any sensible name, and a limit on what is sent. */
const LONGEST_NAME = 512 * 1024

export function checkName(name: unknown): string {
  if (typeof name !== 'string' || name.length === 0 || name.length > LONGEST_NAME) {
    const several = Array.isArray(name) ? '; for several locks write holdfast.multiLock([lockA, lockB])' : ''
    throw new InvalidArgumentError('name', name, `a string of 1 to ${LONGEST_NAME} characters${several}`)
  }
  // The store keeps UTF-8, where every lone surrogate becomes the same replacement character: two such names would be one lock.
  if (!name.isWellFormed())
    throw new InvalidArgumentError('name', name, 'well-formed Unicode (no lone surrogates)')
  return name
}

export function checkFunction(argument: string, value: unknown): void {
  if (typeof value !== 'function') throw new InvalidArgumentError(argument, value, 'a function')
}

export function checkObject(argument: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const lease =
      typeof value === 'number' && known.includes('leaseMs')
        ? `; for a lease write { leaseMs: ${value} }`
        : ''
    throw new InvalidArgumentError(argument, value, `an object${lease}`)
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      throw new InvalidArgumentError(
        argument,
        key,
        `the options ${known.join(', ')}${optionHint(key, known)}`,
      )
  }
}

export function whole(
  argument: string,
  value: unknown,
  least: number,
  unit = 'milliseconds',
  orElse = '',
): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw new InvalidArgumentError(argument, value, `a whole number of ${unit}, at least ${least}${orElse}`)
}

export function wholeOrInfinite(
  argument: string,
  value: unknown,
  least: number,
  unit?: string,
): number | undefined {
  return value === Infinity ? value : whole(argument, value, least, unit, ', or Infinity')
}

/** Compares the shape, not the class: signals of other realms and polyfills count too. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value &&
    typeof value.addEventListener === 'function' &&
    'removeEventListener' in value &&
    typeof value.removeEventListener === 'function'
  )
}
