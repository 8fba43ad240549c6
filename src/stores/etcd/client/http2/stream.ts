import type { Headers } from './headers.js'

/** Told of one stream. */
export interface Http2StreamListener {
  headers(headers: Headers): void
  data(bytes: Buffer): void
  /** The server has said all. */
  end(): void
  /** Ended before, by the server, or with the connection. `sent`: it may have been carried out. */
  broken(sent: boolean): void
}

const NOTHING = Buffer.alloc(0)

/** One stream, with what is still to be sent and how much of it the server allows. */
export class Http2Stream {
  /** 0 until it is opened. */
  number = 0
  window = 0
  /** Bytes that have come since the last window update. */
  received = 0
  #outbox: Buffer = NOTHING
  #complete = false
  #ended = false

  constructor(
    /** Its headers. */
    readonly block: Buffer,
    readonly listener: Http2StreamListener,
  ) {}

  /** Whether all was sent. */
  get ended(): boolean {
    return this.#ended
  }

  begin(number: number, window: number): void {
    this.number = number
    this.window = window
  }

  /** @param complete whether nothing comes after it */
  put(bytes: Buffer, complete: boolean): void {
    this.#outbox = this.#outbox.length === 0 ? bytes : Buffer.concat([this.#outbox, bytes])
    this.#complete = complete
  }

  /** What is to be sent next; nothing while the server does not allow it. */
  take(most: number): { readonly bytes: Buffer; readonly last: boolean } | undefined {
    const { length } = this.#outbox
    const size = Math.min(length, most, Math.max(this.window, 0))
    if (this.#ended || (size === 0 && !(this.#complete && length === 0))) return undefined
    const bytes = size === length ? this.#outbox : this.#outbox.subarray(0, size)
    this.#outbox = size === length ? NOTHING : this.#outbox.subarray(size)
    this.window -= size
    this.#ended = this.#complete && size === length
    return { bytes, last: this.#ended }
  }
}
