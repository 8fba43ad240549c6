import { MalformedError } from './protobuf.js'

/** Before each message: whether it is compressed, and its length. */
const HEAD = 5

/** Far beyond any reply to what is asked here, and far below what would fill the memory. */
const LONGEST = 64 * 1024 * 1024

const NOTHING = Buffer.alloc(0)

/** A message as gRPC sends it. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, HEAD)
  return frame
}

/** Puts messages together from what comes, however it is cut. */
export class FrameReader {
  #rest: Buffer = NOTHING

  /** @throws MalformedError for what no server sends to a client that asked for nothing compressed. */
  read(bytes: Buffer): readonly Buffer[] {
    const messages: Buffer[] = []
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = 0
    while (all.length - at >= HEAD) {
      if (all[at] !== 0) throw new MalformedError('a message is compressed')
      const length = all.readUInt32BE(at + 1)
      if (length > LONGEST) throw new MalformedError(`a message has ${length} bytes`)
      const from = at + HEAD
      if (all.length - from < length) break
      messages.push(all.subarray(from, from + length))
      at = from + length
    }
    this.#rest = at === all.length ? NOTHING : all.subarray(at)
    return messages
  }

  /** Whether a message has begun and not ended. */
  get torn(): boolean {
    return this.#rest.length > 0
  }
}
