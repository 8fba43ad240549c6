import { printable } from '../identity/printable.js'
import { cleanCause } from './cause.js'

/** Symbol shared by every copy of this package, so that `instanceof` works across them. */
const KINDS = Symbol.for('holdfast.error.kinds')

/** Details common to all errors of Holdfast. */
export interface HoldfastErrorDetails {
  /** The lock that the error is about, if any. */
  readonly lockName?: string | undefined
  /** The underlying error, usually the client library's: its copy, without what it carries besides its text. */
  readonly cause?: unknown
}

/**
 * The base class of all errors of Holdfast. `code` is stable and meant for programs; the message is meant for people and may
 * change. `instanceof` recognises errors made by another copy of this package.
 */
export class HoldfastError extends Error {
  /** @internal `instanceof` compares this. */
  static readonly kind: string = 'HoldfastError'

  /** Stable identifier, for example `LOCK_TIMEOUT`. */
  readonly code: string
  /** The name of the lock that the error is about; `undefined` if there is none. */
  readonly lockName: string | undefined

  constructor(code: string, message: string, details: HoldfastErrorDetails = {}) {
    const cause = clean(details.cause)
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.lockName = details.lockName
    // Not the class's own name, which minifiers change.
    this.name = Object.hasOwn(new.target, 'kind') ? new.target.kind : new.target.name
    Object.defineProperty(this, KINDS, { value: kindsOf(new.target) })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!Object.hasOwn(this, 'kind')) return Function.prototype[Symbol.hasInstance].call(this, value)
    if (typeof value !== 'object' || value === null || !(KINDS in value)) return false
    const kinds = value[KINDS]
    return Array.isArray(kinds) && kinds.includes(this.kind)
  }
}

/** A cause as errors of Holdfast carry it. */
export function clean(cause: unknown): unknown {
  return cleanCause(cause, (value) => value instanceof HoldfastError)
}

function kindsOf(errorClass: typeof HoldfastError): string[] {
  const kinds: string[] = []
  for (let each: unknown = errorClass; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    if (Object.hasOwn(each, 'kind') && 'kind' in each && typeof each.kind === 'string') kinds.push(each.kind)
  }
  return kinds
}

/** A name as messages have it: any program may have chosen it, so nothing in it moves a cursor, colours a terminal or forges a line of a log. */
export function quoted(name: string): string {
  return `"${printable(shorten(name))}"`
}

/** Names may be 64 KB long; messages stay readable. */
export function shorten(text: string, longest = 120): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 20)}… (${text.length} characters)`
}
