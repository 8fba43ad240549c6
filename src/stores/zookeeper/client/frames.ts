import { MalformedReplyError } from './jute.js'

/** No reply that a lock asks for comes near it: the names of a hundred thousand that wait. */
const LONGEST_FRAME = 16 * 1024 * 1024

/** Puts what arrives together into frames: each begins with its length in four bytes. */
export class Frames {
  #chunks: Buffer[] = []
  #length = 0

  /** @param onFrame called with each frame, without its length */
  constructor(private readonly onFrame: (frame: Buffer) => void) {}

  /** @throws MalformedReplyError for a length that no frame has */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    for (let wanted = this.#wanted(); this.#length >= wanted; wanted = this.#wanted()) {
      const bytes = this.#joined()
      this.#length -= wanted
      this.#chunks = this.#length > 0 ? [bytes.subarray(wanted)] : []
      this.onFrame(bytes.subarray(4, wanted))
    }
  }

  /** How many bytes there must be for the first frame to be whole. */
  #wanted(): number {
    if (this.#length < 4) return Infinity
    const [first] = this.#chunks
    const bytes = first && first.length >= 4 ? first : this.#joined()
    const length = bytes.readInt32BE(0)
    if (length < 0 || length > LONGEST_FRAME) throw new MalformedReplyError(`a frame of ${length} bytes`)
    return length + 4
  }

  #joined(): Buffer {
    const [first] = this.#chunks
    const joined = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }
}
