import { UnstorableValueError } from '../../base/errors/unstorable-value-error.js'

/** How deep a value may go. JSON itself ends where the stack does, which is elsewhere in each program that reads the value. */
const DEEPEST = 1_000

/**
 * The text of a value: JSON in an array, which is empty for `undefined`. Refuses a value that JSON would change; otherwise the
 * computing caller would see a different value from the others.
 */
export function textOf(key: string, value: unknown): string {
  if (value === undefined) return '[]'
  check(key, value, '$', new Set())
  return JSON.stringify([value])
}

/** Parses a new value each time, so that no caller can change another caller's value. */
export function parsedFrom(text: string): ReturnType<typeof JSON.parse> {
  const [value] = JSON.parse(text)
  return value
}

/** @param within the objects around `value`: one that contains itself is a circle. */
function check(key: string, value: unknown, path: string, within: Set<object>): void {
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new UnstorableValueError(key, path, 'a lone surrogate')
    return
  }
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return
  if (typeof value !== 'object') throw new UnstorableValueError(key, path, nameOf(value))
  if (within.has(value)) throw new UnstorableValueError(key, path, 'a circle')
  if (within.size >= DEEPEST)
    throw new UnstorableValueError(key, '$', `more than ${DEEPEST} objects within each other`)
  within.add(value)
  if (Array.isArray(value)) checkArray(key, value, path, within)
  else checkPlain(key, value, path, within)
  within.delete(value)
}

function checkArray(key: string, value: unknown[], path: string, within: Set<object>): void {
  // The prototype of arrays is an array itself, in every realm.
  if (!Array.isArray(Object.getPrototypeOf(value)))
    throw new UnstorableValueError(key, path, `an array of ${value.constructor?.name || 'a class'}`)
  // By index: iteration skips gaps.
  for (let index = 0; index < value.length; index += 1) check(key, value[index], `${path}[${index}]`, within)
  const [extra] = Object.getOwnPropertyNames(value)
    .slice(value.length)
    .filter((name) => name !== 'length')
  if (extra !== undefined) throw new UnstorableValueError(key, `${path}.${extra}`, 'a property of an array')
  refuseSymbols(key, value, path)
}

function checkPlain(key: string, value: object, path: string, within: Set<object>): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === null || prototype === Object.prototype
  if (!plain)
    throw new UnstorableValueError(key, path, `an object of ${value.constructor?.name || 'a class'}`)
  refuseSymbols(key, value, path)
  if ('toJSON' in value) throw new UnstorableValueError(key, path, 'an object with a toJSON of its own')
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const place = `${path}.${name}`
    if (!property.enumerable) throw new UnstorableValueError(key, place, 'a property that is not enumerable')
    if (!('value' in property)) throw new UnstorableValueError(key, place, 'a getter')
    // JSON leaves out an undefined property, and a reader sees no difference.
    if (property.value !== undefined) check(key, property.value, place, within)
  }
}

function refuseSymbols(key: string, value: object, path: string): void {
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw new UnstorableValueError(key, path, 'a symbol key')
}

function nameOf(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  return value === undefined ? 'undefined' : `a ${typeof value}`
}
