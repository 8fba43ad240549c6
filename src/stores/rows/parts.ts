import { isOwner } from '../../base/identity/owner.js'
import { isPlace } from '../line/place.js'

/** Something is of another type than it can be: another program has written or sent it. Tells the type alone; the value may be anything, also a secret. */
export class UnexpectedError extends Error {
  constructor(where: string, found: unknown, expected: string) {
    super(`${where} is ${typeOf(found)} in place of ${expected}`)
  }
}

function typeOf(found: unknown): string {
  if (found === undefined) return 'missing'
  if (found === null) return 'null'
  if (typeof found === 'string') return 'another text'
  if (typeof found === 'number' || typeof found === 'bigint') return 'another number'
  if (Buffer.isBuffer(found)) return 'bytes'
  return Array.isArray(found) ? 'a list' : `of type ${typeof found}`
}

/** Returns what it finds if that has the right shape; otherwise throws an {@link UnexpectedError}. */
export type Read<Value> = (found: unknown, where: string) => Value

type Readers = Readonly<Record<string, Read<unknown>>>
type Parts<Needed extends Readers, Optional extends Readers> = {
  [Name in keyof Needed]: ReturnType<Needed[Name]>
} & { [Name in keyof Optional]?: ReturnType<Optional[Name]> }

function reader<Value>(expected: string, is: (found: unknown) => found is Value): Read<Value> {
  return (found, where) => {
    if (is(found)) return found
    throw new UnexpectedError(where, found, expected)
  }
}

export const aText = reader('a text', (found): found is string => typeof found === 'string')
export const aFlag = reader('true or false', (found): found is boolean => typeof found === 'boolean')
/** A time of the store's clock, or a length of time. */
export const aTime = reader('a time', (found): found is number => Number.isFinite(found))
export const aCount = reader(
  'a whole number',
  (found): found is number => Number.isSafeInteger(found) && Number(found) >= 0,
)
/** One that may be below zero. */
export const aWhole = reader('a whole number', (found): found is number => Number.isSafeInteger(found))

/** A text of that shape. */
export function aTextThat<Value extends string>(
  expected: string,
  is: (text: string) => text is Value,
): Read<Value> {
  return reader(expected, (found): found is Value => typeof found === 'string' && is(found))
}

/** A token, in decimal. */
export const aFence = aTextThat('a token', (text): text is `${bigint}` => /^\d{1,30}$/.test(text))
export const anOwner = aTextThat('an owner', isOwner)
export const aPlace = aTextThat('a place in line', isPlace)

export function aListOf<Value>(each: Read<Value>): Read<Value[]> {
  return (found, where) => {
    if (!Array.isArray(found)) throw new UnexpectedError(where, found, 'a list')
    return found.map((value) => each(value, `a part of ${where}`))
  }
}

/** Values under names that are keys of that kind. */
export function aRecordOf<Key extends string, Value>(
  key: Read<Key>,
  each: Read<Value>,
): Read<Record<Key, Value>> {
  return (found, where) => {
    const entries: Array<readonly unknown[]> = Object.entries(anObject(found, where)).map(([name, value]) => [
      key(name, `a name in ${where}`),
      each(value, `a part of ${where}`),
    ])
    return Object.fromEntries(entries)
  }
}

/** Reads an object with these parts, and ignores others. */
export function partsOf<Needed extends Readers, Optional extends Readers>(
  needed: Needed,
  optional: Optional,
): Read<Parts<Needed, Optional>> {
  return (found, where) => {
    const object = anObject(found, where)
    const there = Object.entries(optional).filter(([name]) => object[name] !== undefined)
    const entries: Array<readonly unknown[]> = [...Object.entries(needed), ...there].map(([name, read]) => [
      name,
      read(object[name], `${where}.${name}`),
    ])
    return Object.fromEntries(entries)
  }
}

/** Reads a value from JSON. */
export function jsonIn<Value>(json: string, where: string, read: Read<Value>): Value {
  return read(parsed(json, where), where)
}

function parsed(json: string, where: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Its own error shows the text.
    throw new UnexpectedError(where, json, 'JSON')
  }
}

export function anObject(found: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return { ...found }
  throw new UnexpectedError(where, found, 'an object')
}
