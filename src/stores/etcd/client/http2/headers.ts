import { contentOf, type Frame, frameFlags, frameTypes } from './frame.js'
import { fromHuffman } from './huffman.js'

/** Headers by their names. */
export type Headers = Readonly<Record<string, string>>

/** A header in full, of which nobody makes a note, as its name and value stand there. */
const LITERAL = '\0'
const IN_HUFFMAN = 0x80

/** Statuses that have a number of their own; other headers that do mean nothing here. */
const STATUSES: Readonly<Record<number, string>> = {
  8: '200',
  9: '204',
  10: '206',
  11: '304',
  12: '400',
  13: '404',
  14: '500',
}
const STATUS = ':status'
/** The last number of HTTP/2's own table of headers; greater ones belong to the dynamic table, which this client switches off. */
const LAST_NUMBER = 61

/** A block of headers, as HPACK (RFC 7541) has them in its simplest form. */
export function writeHeaders(headers: Headers): Buffer {
  let block = ''
  for (const [name, value] of Object.entries(headers)) block += LITERAL + lengthened(name) + lengthened(value)
  return Buffer.from(block, 'latin1')
}

function lengthened(text: string): string {
  let bytes = ''
  let left = text.length
  if (left < 127) return String.fromCharCode(left) + text
  for (left -= 127; left >= 128; left = Math.floor(left / 128))
    bytes += String.fromCharCode(128 + (left % 128))
  return `\x7f${bytes}${String.fromCharCode(left)}${text}`
}

/** How many blocks to remember: a server sends the same ones before and after nearly every answer. */
const REMEMBERED = 4

/** The most frames of one block of headers. */
const MOST_PARTS = 8

/** Reads blocks of headers, each from one frame or several. What one says does not depend on those before it, since nobody makes notes. */
export class HeadersReader {
  readonly #known: Array<{ readonly block: Buffer; readonly headers: Headers }> = []
  /** Those whose end is still to come. */
  #begun: { readonly stream: number; readonly last: boolean; readonly parts: Buffer[] } | undefined

  get unfinished(): boolean {
    return this.#begun !== undefined
  }

  /**
   * The headers that end with that frame, and whether they are the last of their stream.
   * @throws RangeError for anything but a block of headers, and for a reference to the dynamic table.
   */
  add(
    frame: Frame,
  ): { readonly stream: number; readonly last: boolean; readonly headers: Headers } | undefined {
    const { type, flags, stream } = frame
    const begins = type === frameTypes.headers
    if (begins) this.#begun = { stream, last: (flags & frameFlags.endStream) !== 0, parts: [] }
    const begun = this.#begun
    if (begun?.stream !== stream) throw new RangeError('headers of another stream go on')
    begun.parts.push(begins ? contentOf(frame) : frame.payload)
    if (begun.parts.length > MOST_PARTS) throw new RangeError('a block of headers is too long')
    if ((flags & frameFlags.endHeaders) === 0) return undefined
    this.#begun = undefined
    return { stream, last: begun.last, headers: this.#read(Buffer.concat(begun.parts)) }
  }

  #read(block: Buffer): Headers {
    for (const known of this.#known) if (known.block.equals(block)) return known.headers
    const headers = new BlockReader(block).headers()
    if (this.#known.length === REMEMBERED) this.#known.shift()
    this.#known.push({ block, headers })
    return headers
  }
}

class BlockReader {
  #at = 0

  constructor(private readonly block: Buffer) {}

  headers(): Headers {
    // A server may name a header as it likes, `__proto__` too.
    const headers: Record<string, string> = Object.create(null)
    while (this.#at < this.block.length) {
      const first = this.#octet()
      if (first >= 0x80) {
        const number = this.#number(first, 7)
        const status = STATUSES[number]
        if (status !== undefined) headers[STATUS] = status
        else if (number === 0 || number > LAST_NUMBER)
          throw new RangeError(`no header has the number ${number}`)
      } else if (first >= 0x20 && first < 0x40) {
        // How many notes the server makes: none.
        this.#number(first, 5)
      } else {
        const number = this.#number(first, first >= 0x40 ? 6 : 4)
        const name = number === 0 ? this.#text() : number in STATUSES ? STATUS : `header ${number}`
        headers[name] = this.#text()
      }
    }
    return headers
  }

  #octet(): number {
    const octet = this.block[this.#at]
    if (octet === undefined) throw new RangeError('a block of headers is cut off')
    this.#at += 1
    return octet
  }

  /** A number whose beginning is in the last bits of its first octet. */
  #number(first: number, bits: number): number {
    const most = 2 ** bits - 1
    let number = first & most
    if (number < most) return number
    for (let scale = 1; scale < 2 ** 32; scale *= 128) {
      const octet = this.#octet()
      number += (octet & 0x7f) * scale
      if (octet < 0x80) return number
    }
    throw new RangeError('a number in a block of headers is too long')
  }

  #text(): string {
    const first = this.#octet()
    const length = this.#number(first, 7)
    const end = this.#at + length
    if (end > this.block.length) throw new RangeError('a block of headers is cut off')
    const bytes = this.block.subarray(this.#at, end)
    this.#at = end
    return (first & IN_HUFFMAN) === 0 ? bytes.toString('latin1') : fromHuffman(bytes)
  }
}
