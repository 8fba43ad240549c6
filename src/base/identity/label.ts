import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { isoTime } from '../time/iso-time.js'
import { printable } from './printable.js'

/** The longest label, in bytes of UTF-8: a host's name of 64 bytes and a process's number fit. */
export const LONGEST_LABEL = 80
/** What no label has: control characters, line breaks, marks of writing direction, lone surrogates. */
const REFUSED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
/** Between a client's UUID and its label. */
const SEPARATOR = '~'

/** `host:pid`. */
export function defaultLabel(): string {
  const label = `${hostname()}:${pid}`
  return isLabel(label) ? label : `host:${pid}`
}

export function isLabel(text: unknown): text is string {
  return (
    typeof text === 'string' && text !== '' && !REFUSED.test(text) && Buffer.byteLength(text) <= LONGEST_LABEL
  )
}

/**
 * The first half of every owner of a new client: a UUIDv4 and the label. Since every store keeps owners, and every message names them, all
 * who read one learn the label, and it costs no command. Encoded, so that no character of it means anything in a key, a message or a row.
 */
export function newClientId(label: string): string {
  return `${randomUUID()}${SEPARATOR}${encodeURIComponent(label)}`
}

/** A client's id, or an owner, without the label. */
export function withoutLabel(text: string): string {
  return text.replace(/~[^:]*/, '')
}

/** An owner with that label, encoded as {@link encodedLabel} gives it. */
export function withLabel(owner: string, encoded: string): string {
  return owner.replace(':', `${SEPARATOR}${encoded}:`)
}

/** The label as an owner has it; empty if it has none. */
export function encodedLabel(owner: string): string {
  return /~([^:]*)/.exec(owner)?.[1] ?? ''
}

/**
 * The label of the client that an owner belongs to; `undefined` for an owner without one: a Redisson thread, a detached hold. It is what that
 * client says of itself. What could move a cursor, colour a terminal or break a line of a log is shown by its code.
 */
export function labelOf(owner: string): string | undefined {
  const encoded = encodedLabel(owner)
  return encoded === '' ? undefined : printable(decoded(encoded)).slice(0, 2 * LONGEST_LABEL)
}

/** An owner as messages name it: by its label first, and since when it has what it holds, if that is known. */
export function ownerText(owner: string, heldSince?: number): string {
  const label = labelOf(owner)
  const since = heldSince === undefined ? '' : ` since ${isoTime(heldSince)}`
  const named = label === undefined ? printable(owner) : `${label} (${printable(withoutLabel(owner))})`
  return named + since
}

/** Any program may have written it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
