import { printable } from '../identity/printable.js'

/** What a value is, never what it holds: it may be a password, or have one. Must not fail, whatever the value is. */
export function typeText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? 'a URL' : 'a string'
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value)
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? arrayText(value) : `an object of ${classNameOf(value)}`
    case 'boolean':
    case 'undefined':
      return String(value)
    default:
      return `a ${typeof value}`
  }
}

function arrayText(value: readonly unknown[]): string {
  try {
    return value.length === 0 ? 'an empty array' : 'an array'
  } catch {
    return 'an array'
  }
}

/** The name of an option, or of another word of a program; undefined for what looks like none. */
export function wordOf(text: string): string | undefined {
  return /^[\w$-]{1,60}$/.test(text) ? text : undefined
}

function classNameOf(value: object): string {
  try {
    const name: unknown = value.constructor?.name
    return typeof name === 'string' && name !== '' ? printable(name.slice(0, 60)) : 'no class'
  } catch {
    return 'no class'
  }
}
