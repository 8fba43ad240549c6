import { FrameReader } from '../../../base/collections/frame-reader.js'

/** Each frame begins with the length of the rest. */
export const HEAD = 4

/** No reply that a lock asks for comes near it: the names of a hundred thousand that wait. */
const LONGEST = 16 * 1024 * 1024

/** A frame that is not what the protocol says it should be. The connection it came by is of no more use. */
export class MalformedReplyError extends Error {}

/** Writes a frame of jute, ZooKeeper's way to put values in bytes: numbers with their highest byte first, texts after their length. */
export class JuteWriter {
  #bytes = Buffer.allocUnsafe(256)
  #end = HEAD

  bool(value: boolean): this {
    this.#room(1)
    this.#end = this.#bytes.writeUInt8(value ? 1 : 0, this.#end)
    return this
  }

  int(value: number): this {
    this.#room(4)
    this.#end = this.#bytes.writeInt32BE(value, this.#end)
    return this
  }

  long(value: bigint): this {
    this.#room(8)
    this.#end = this.#bytes.writeBigInt64BE(value, this.#end)
    return this
  }

  buffer(value: Uint8Array): this {
    this.int(value.length)
    this.#room(value.length)
    this.#bytes.set(value, this.#end)
    this.#end += value.length
    return this
  }

  text(value: string): this {
    const length = Buffer.byteLength(value)
    this.int(length)
    this.#room(length)
    this.#end += this.#bytes.write(value, this.#end)
    return this
  }

  texts(values: readonly string[]): this {
    this.int(values.length)
    for (const value of values) this.text(value)
    return this
  }

  /** The complete frame. */
  frame(): Buffer {
    this.#bytes.writeInt32BE(this.#end - HEAD, 0)
    return this.#bytes.subarray(0, this.#end)
  }

  #room(length: number): void {
    if (this.#end + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#end + length))
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

/** Throws a MalformedReplyError for a length that no frame has. */
export function frameReader(): FrameReader {
  return new FrameReader(HEAD, (bytes, at) => {
    const length = bytes.readInt32BE(at)
    if (length < 0 || length > LONGEST) throw new MalformedReplyError(`a frame of ${length} bytes`)
    return HEAD + length
  })
}

/** Reads what a frame says. Whatever its bytes are, it ends, and takes no more memory than the frame. */
export class JuteReader {
  #at = 0

  constructor(private readonly bytes: Buffer) {}

  /** The number of unread bytes. */
  get left(): number {
    return this.bytes.length - this.#at
  }

  bool(): boolean {
    return this.bytes.readUInt8(this.#pass(1)) !== 0
  }

  int(): number {
    return this.bytes.readInt32BE(this.#pass(4))
  }

  long(): bigint {
    return this.bytes.readBigInt64BE(this.#pass(8))
  }

  /** Empty also where the server has none. */
  buffer(): Buffer {
    const length = this.#length()
    const from = this.#pass(length)
    return this.bytes.subarray(from, from + length)
  }

  text(): string {
    return this.buffer().toString()
  }

  texts(): string[] {
    const texts: string[] = []
    for (let left = this.#length(); left > 0; left -= 1) texts.push(this.text())
    return texts
  }

  #length(): number {
    // The length −1 means absent.
    const length = Math.max(this.int(), 0)
    // Each element takes at least a byte.
    if (length > this.left) throw new MalformedReplyError(`${length} of which ${this.left} bytes came`)
    return length
  }

  #pass(length: number): number {
    const from = this.#at
    if (length > this.left) throw new MalformedReplyError(`${length} bytes, of which ${this.left} came`)
    this.#at += length
    return from
  }
}
