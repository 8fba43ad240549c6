import { withoutLabel } from '../../base/identity/label.js'
import { aListOf, aText, jsonIn, UnexpectedError } from '../rows/parts.js'
import type { Message } from '../rows/rows.js'
import type { Keyspace } from '../rows/shape.js'

/** A payload has room for 7 999 bytes; a character takes up to four. */
const PART = /[\s\S]{1,1900}/gu

/** The longest name there is takes fewer. */
const MOST_PARTS = 2_000

const KEYSPACES: readonly Keyspace[] = ['lock', 'read-write', 'semaphore', 'permits', 'latch', 'value']

/** The channel on which a client hears: its name may have 63 bytes. */
export function channelOf(client: string): string {
  return `holdfast_${withoutLabel(client).replaceAll('-', '')}`
}

/** The same in SQL, of what gives a client's id there. */
export function channelIn(client: string): string {
  return `'holdfast_' || replace(split_part(${client}, '~', 1), '-', '')`
}

/**
 * The payloads that carry a message, the `index`th of its transaction. A long one goes in parts, each with its number and that of those
 * that follow: the server passes on a transaction's payloads together and in order, but equal ones only once.
 */
export function payloadsOf({ keyspace, name, text }: Message, index: number): string[] {
  const parts = JSON.stringify([keyspace, name, text]).match(PART) ?? []
  return parts.map((part, at) => `${index}.${at}.${parts.length - 1 - at}:${part}`)
}

/** Puts messages together from their payloads. Anybody may send some: what others have begun spoils no message, and takes no more room than one. */
export class MessageReader {
  #parts: string[] = []

  /** The message that ends with that payload. Throws if that is none of Holdfast's. */
  read(payload: string): Message | undefined {
    const [, at, left, part] = /^\d+\.(\d+)\.(\d+):([\s\S]*)$/.exec(payload) ?? []
    if (at === '0') this.#parts = []
    if (part === undefined || Number(at) !== this.#parts.length || Number(at) + Number(left) >= MOST_PARTS)
      throw notOfHoldfast(payload)
    this.#parts.push(part)
    if (left !== '0') return undefined
    const whole = this.#parts.join('')
    this.#parts = []
    return parse(whole)
  }
}

function parse(json: string): Message {
  const [place, name, text, ...others] = jsonIn(json, 'a notification', aListOf(aText))
  const keyspace = KEYSPACES.find((each) => each === place)
  if (!keyspace || name === undefined || text === undefined || others.length > 0) throw notOfHoldfast(json)
  return { keyspace, name, text }
}

function notOfHoldfast(payload: string): UnexpectedError {
  return new UnexpectedError('a notification', payload, 'one of Holdfast')
}
