/** As much of the encoding of Protocol Buffers (version 3) as etcd's messages need: numbers of up to 64 bits, bytes, and messages. */

const VARINT = 0
const FIXED64 = 1
const DELIMITED = 2
const FIXED32 = 5

/** A number of 64 bits has ten groups of seven at most. */
const LONGEST_VARINT = 10
const SIXTY_FOUR_BITS = 64
const LONGEST_SMALL = 35

/** The bytes are no message of the expected kind. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError'
}

/** Writes one message, without fields that are 0, false or empty, as the format demands. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(128)
  #length = 0

  number(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this
    this.#tag(field, VARINT)
    if (typeof value === 'number') this.#small(value)
    else this.#varint(value)
    return this
  }

  flag(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0)
  }

  bytes(field: number, value: Uint8Array | string): this {
    return value.length === 0 ? this : this.#delimited(field, value)
  }

  /** Writes even an empty message: its presence says something. */
  message(field: number, message: MessageWriter): this {
    return this.#delimited(field, message.done())
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #delimited(field: number, value: Uint8Array | string): this {
    this.#tag(field, DELIMITED)
    const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length
    this.#small(length)
    this.#reserve(length)
    if (typeof value === 'string') this.#bytes.write(value, this.#length)
    else this.#bytes.set(value, this.#length)
    this.#length += length
    return this
  }

  #tag(field: number, wireType: number): void {
    this.#small(field * 8 + wireType)
  }

  #small(value: number): void {
    this.#reserve(LONGEST_VARINT)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) + 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  #varint(value: bigint): void {
    this.#reserve(LONGEST_VARINT)
    let rest = BigInt.asUintN(SIXTY_FOUR_BITS, value)
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) + 0x80
      rest >>= 7n
    }
    this.#bytes[this.#length++] = Number(rest)
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * needed)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** A field of a message: a number, or bytes (a text, a message). */
export interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/**
 * The fields of a message in the order in which they came.
 *
 * @throws MalformedError where the bytes are no message.
 */
export function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = []
  const reader = new MessageReader(message)
  while (reader.more) fields.push(reader.field())
  return fields
}

class MessageReader {
  #at = 0

  constructor(private readonly message: Buffer) {}

  get more(): boolean {
    return this.#at < this.message.length
  }

  field(): Field {
    const tag = this.#small()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case VARINT:
        return { number, value: this.#varint() }
      case DELIMITED:
        return { number, value: this.#take(this.#small()) }
      case FIXED64:
        return { number, value: this.#take(8).readBigUInt64LE() }
      case FIXED32:
        return { number, value: BigInt(this.#take(4).readUInt32LE()) }
      default:
        throw new MalformedError('a field has no known type')
    }
  }

  #octet(): number {
    const octet = this.message[this.#at]
    if (octet === undefined) return ended()
    this.#at += 1
    return octet
  }

  /** A number of at most 35 bits. */
  #small(): number {
    let value = 0
    for (let scale = 1; scale < 2 ** LONGEST_SMALL; scale *= 0x80) {
      const octet = this.#octet()
      value += (octet & 0x7f) * scale
      if (octet < 0x80) return value
    }
    throw new MalformedError('a length or a number of a field is too long')
  }

  #varint(): bigint {
    // Nearly all are small, and numbers are faster.
    let low = 0
    for (let count = 0; count < 4; count += 1) {
      const octet = this.#octet()
      low += (octet & 0x7f) << (7 * count)
      if (octet < 0x80) return BigInt(low)
    }
    let value = BigInt(low)
    for (let count = 4; count < LONGEST_VARINT; count += 1) {
      const octet = this.#octet()
      value |= BigInt(octet & 0x7f) << BigInt(7 * count)
      if (octet < 0x80) return BigInt.asUintN(SIXTY_FOUR_BITS, value)
    }
    throw new MalformedError('a number is longer than 64 bits')
  }

  #take(length: number): Buffer {
    if (length > this.message.length - this.#at) return ended()
    this.#at += length
    return this.message.subarray(this.#at - length, this.#at)
  }
}

function ended(): never {
  throw new MalformedError('it ends within a field')
}

/** Reads a signed number, which the format writes as its complement. */
export function signed(value: bigint): bigint {
  return BigInt.asIntN(SIXTY_FOUR_BITS, value)
}
