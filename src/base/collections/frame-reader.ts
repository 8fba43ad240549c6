/** Cuts bytes that arrive in chunks of any size into frames, whose first bytes tell their length. It joins the chunks of a frame once, when the frame is whole. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0
  /** How many bytes there must be before there is more to cut off. */
  #needed: number

  /**
   * @param head how many bytes tell the length
   * @param lengthOf how long the frame is that begins there, its head included; throws for a length that no frame has
   */
  constructor(
    private readonly head: number,
    private readonly lengthOf: (bytes: Buffer, at: number) => number,
  ) {
    this.#needed = head
  }

  /** The frames that are whole with that chunk. */
  read(chunk: Buffer): readonly Buffer[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const frames: Buffer[] = []
    if (this.#length < this.#needed) return frames
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    let at = 0
    this.#needed = this.head
    while (all.length - at >= this.#needed) {
      const end = at + this.lengthOf(all, at)
      if (end > all.length) this.#needed = end - at
      else {
        frames.push(all.subarray(at, end))
        at = end
      }
    }
    this.#length = all.length - at
    this.#chunks = this.#length > 0 ? [all.subarray(at)] : []
    return frames
  }

  /** Whether a frame has begun and not ended. */
  get torn(): boolean {
    return this.#length > 0
  }
}
