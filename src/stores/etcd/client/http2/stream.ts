import { frameFlags, frameTypes, LONGEST_PAYLOAD, NOTHING, writeFrame } from './frame.js'
import type { Headers } from './headers.js'

/** Told of one stream. */
export interface Http2StreamListener {
  headers(headers: Headers): void
  data(bytes: Buffer): void
  /** The server has said all. */
  end(): void
  /** The server or the connection ended it before its answer was complete. `sent`: the server may have carried it out. */
  broken(sent: boolean): void
}

/** One stream, with its unsent bytes and how many of them the server allows. */
export class Http2Stream {
  /** 0 until it opens. */
  number = 0
  window = 0
  /** Bytes that have come since the last window update. */
  received = 0
  #outbox: Buffer = NOTHING
  #complete = false
  /** Whether it has sent everything. */
  ended = false

  constructor(
    /** Its headers. */
    readonly block: Buffer,
    readonly listener: Http2StreamListener,
  ) {}

  headerFrames(): Buffer[] {
    const { block, number } = this
    const frames: Buffer[] = []
    for (let at = 0; at === 0 || at < block.length; at += LONGEST_PAYLOAD) {
      const part = block.subarray(at, at + LONGEST_PAYLOAD)
      const last = at + LONGEST_PAYLOAD >= block.length
      const type = at === 0 ? frameTypes.headers : frameTypes.continuation
      frames.push(writeFrame(type, last ? frameFlags.endHeaders : 0, number, part))
    }
    return frames
  }

  /** @param complete whether nothing comes after it */
  put(bytes: Buffer, complete: boolean): void {
    this.#outbox = this.#outbox.length === 0 ? bytes : Buffer.concat([this.#outbox, bytes])
    this.#complete = complete
  }

  /** The next bytes to send; nothing while the server allows none. */
  take(most: number): { readonly bytes: Buffer; readonly last: boolean } | undefined {
    const { length } = this.#outbox
    const size = Math.min(length, most, Math.max(this.window, 0))
    if (this.ended || (size === 0 && !(this.#complete && length === 0))) return undefined
    const bytes = size === length ? this.#outbox : this.#outbox.subarray(0, size)
    this.#outbox = size === length ? NOTHING : this.#outbox.subarray(size)
    this.window -= size
    this.ended = this.#complete && size === length
    return { bytes, last: this.ended }
  }
}
