import { MalformedError } from './protobuf.js'

/** The bytes before each message: one says whether it is compressed, four its length. */
const HEAD = 5

/** Far longer than any reply to this client's requests, and far below what would fill the memory. */
const LONGEST = 64 * 1024 * 1024

/** A message as gRPC sends it. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, HEAD)
  return frame
}

/** Reads messages from chunks of any size. It joins the chunks of a message once, when the message is complete. */
export class FrameReader {
  readonly #parts: Buffer[] = []
  #length = 0
  /** How much has to be there before there is more to read. */
  #needed = HEAD

  /** @throws MalformedError for what no server sends to a client that asked for nothing compressed. */
  read(bytes: Buffer): readonly Buffer[] {
    this.#parts.push(bytes)
    this.#length += bytes.length
    const messages: Buffer[] = []
    if (this.#length < this.#needed) return messages
    const all = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts)
    let at = 0
    this.#needed = HEAD
    while (all.length - at >= HEAD) {
      if (all[at] !== 0) throw new MalformedError('a message is compressed')
      const length = all.readUInt32BE(at + 1)
      if (length > LONGEST) throw new MalformedError(`a message has ${length} bytes`)
      if (all.length - at < HEAD + length) {
        this.#needed = HEAD + length
        break
      }
      messages.push(all.subarray(at + HEAD, at + HEAD + length))
      at += HEAD + length
    }
    this.#length = all.length - at
    this.#parts.splice(0, Infinity, ...(this.#length > 0 ? [all.subarray(at)] : []))
    return messages
  }

  /** Whether a message has begun and not ended. */
  get torn(): boolean {
    return this.#length > 0
  }
}
