import { InvalidArgumentError } from '../errors/errors.js'
import { typeText, wordOf } from '../errors/found.js'

/** The longest name, in UTF-16 units: room for any sensible name, and a limit on what is sent. */
const LONGEST_NAME = 512 * 1024

export function checkName(name: unknown): string {
  if (typeof name !== 'string' || name.length === 0 || name.length > LONGEST_NAME) {
    const several = Array.isArray(name) ? '; for several locks write holdfast.multiLock([lockA, lockB])' : ''
    throw new InvalidArgumentError('name', name, `a string of 1 to ${LONGEST_NAME} characters${several}`, {
      ...(typeof name === 'string' && name !== '' && { found: `has ${name.length} characters` }),
    })
  }
  // The store keeps UTF-8, where every lone surrogate becomes the same replacement character: two such names would be one lock.
  if (!name.isWellFormed())
    throw new InvalidArgumentError('name', name, 'well-formed Unicode', { found: 'has lone surrogates' })
  return name
}

let hintAt: (option: string, known: readonly string[]) => string = () => ''

/** Has refusals of unknown options say what to write in their place. A bundle of the plain lock alone goes without. */
export function hintAtOptionsBy(hint: typeof hintAt): void {
  hintAt = hint
}

/** @param example the call, with a function */
export function checkFunction(
  argument: string,
  value: unknown,
  example?: string,
): asserts value is (...given: never[]) => unknown {
  if (typeof value === 'function') return
  throw new InvalidArgumentError(
    argument,
    value,
    example === undefined ? 'a function' : `a function, as in ${example}`,
  )
}

/** Refuses what is there and no boolean: a text like 'false' would count as true. */
export function checkBoolean(argument: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new InvalidArgumentError(argument, value, 'true or false')
}

/** Whether a value has those methods. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return methods.every((method) => typeof Reflect.get(Object(value), method) === 'function')
}

/** Refuses what lacks one of those methods. Compares the shape, not the class: a library may be there twice. */
export function checkMethods(
  argument: string,
  value: unknown,
  methods: readonly string[],
  accepted: string,
): void {
  if (!hasMethods(value, methods)) throw new InvalidArgumentError(argument, value, accepted)
}

/**
 * Refuses what is no object of options, and options that are not known.
 *
 * @param example a call with such an object, for those who have none
 * @returns a copy, for each option to be read once: getters, and changes after the call, have no say in what was checked.
 */
export function checkObject<Options>(
  argument: string,
  value: Options,
  known: readonly string[],
  example = `{ ${known[0]}: … }`,
): Options {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isAbortSignal(value)) {
    const lease =
      typeof value === 'number' && known.includes('leaseMs') ? '; for a lease write { leaseMs: … }' : ''
    throw new InvalidArgumentError(argument, value, `an object, as in ${example}${lease}`)
  }
  const copy = { ...value }
  // Those of a class, or of an object that it was made from.
  for (const key of known) if (key in value && !(key in copy)) Reflect.set(copy, key, Reflect.get(value, key))
  const unknown = Object.keys(copy).find((key) => !known.includes(key))
  if (unknown === undefined) return copy
  const word = wordOf(unknown)
  const found =
    word === undefined ? 'an unknown option' : `the unknown option "${word}"${hintAt(word, known)}`
  throw new InvalidArgumentError(argument, value, known.join(', '), { found: `has ${found}` })
}

export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !isAbortSignal(signal))
    throw new InvalidArgumentError('signal', signal, 'an AbortSignal')
}

/** Where a number belongs, one that is out of range is shown. */
export function invalidNumber(argument: string, value: unknown, accepted: string): InvalidArgumentError {
  const found = `is ${typeof value === 'number' ? value : typeText(value)}`
  return new InvalidArgumentError(argument, value, accepted, { found })
}

export function whole(
  argument: string,
  value: unknown,
  least: number,
  unit?: string,
  orElse?: string,
): number | undefined {
  return value === undefined ? undefined : neededWhole(argument, value, least, unit, orElse)
}

/** As {@link whole}, where it must not be left out. */
export function neededWhole(
  argument: string,
  value: unknown,
  least: number,
  unit = 'milliseconds',
  orElse = '',
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw invalidNumber(argument, value, `a whole number of ${unit}, at least ${least}${orElse}`)
}

export function wholeOrInfinite(
  argument: string,
  value: unknown,
  least: number,
  unit?: string,
): number | undefined {
  return value === Infinity ? value : whole(argument, value, least, unit, ', or Infinity')
}

export function wholeOrAuto(argument: string, value: unknown, least: number): number | 'auto' | undefined {
  return value === 'auto' ? value : whole(argument, value, least, undefined, ", or 'auto'")
}

/** Compares the shape, not the class: signals of other realms and polyfills count too. */
function isAbortSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    hasMethods(value, ['addEventListener', 'removeEventListener'])
  )
}
