import { FrameReader } from '../../../base/collections/frame-reader.js'
import { isError } from '../../../base/errors/is-error.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'
import type { Http2Connection } from './http2/connection.js'
import type { Headers } from './http2/headers.js'
import { Http2Stream, type Http2StreamListener } from './http2/stream.js'
import { MalformedError } from './protobuf.js'

/** The bytes before each message of gRPC: one says whether it is compressed, four its length. */
export const HEAD = 5

/** Far longer than any reply to this client's requests, and far below what would fill the memory. */
const LONGEST = 64 * 1024 * 1024

/** Hears the messages of a call, and once its end. */
export interface CallListener {
  readonly message: (message: Buffer) => void
  readonly end: (error: Error) => void
}

/** One call of gRPC, which is one stream of HTTP/2: messages, and a status at the end. */
export class Call implements Http2StreamListener {
  readonly #stream: Http2Stream
  readonly #frames = messageReader()
  #verdict: Error | undefined
  #over = false

  /** @param headers a block of them */
  constructor(
    private readonly connection: Http2Connection,
    headers: Buffer,
    private readonly listener: CallListener,
    /** The error of a call whose connection ends. */
    private readonly failureOf: (sent: boolean) => Error,
  ) {
    this.#stream = new Http2Stream(headers, this)
    connection.open(this.#stream)
  }

  /** @param last whether nothing comes after it */
  send(message: Buffer, last = false): void {
    if (this.#over) return
    this.#stream.put(framed(message), last)
    this.connection.flush(this.#stream)
  }

  close(): void {
    this.connection.cancel(this.#stream)
  }

  headers(headers: Headers): void {
    const status = headers[':status']
    // A refused call has its status there, and no body.
    if (headers['grpc-status'] !== undefined) this.#verdict = verdictOf(headers)
    // Trailers have no such status, and what comes ahead of an answer says nothing of it.
    else if (status !== undefined && status !== '200' && !status.startsWith('1'))
      // A balancer that has lost its server also answers so: the server may have carried out the call.
      this.#fail(new ConnectionError(`the server answered with HTTP status ${status}`, true))
  }

  data(bytes: Buffer): void {
    if (this.#over) return
    try {
      for (const frame of this.#frames.read(bytes)) this.listener.message(frame.subarray(HEAD))
    } catch (error) {
      this.#fail(error)
    }
  }

  end(): void {
    if (this.#frames.torn) this.#fail(new ConnectionError('the answer ended within a message', true))
    else this.#end(this.#verdict ?? new ConnectionError('the answer ended without a status', true))
  }

  broken(sent: boolean): void {
    this.#end(this.#verdict ?? this.failureOf(sent))
  }

  #fail(error: unknown): void {
    this.close()
    this.#end(isError(error) ? error : new Error(String(error)))
  }

  #end(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.listener.end(error)
  }
}

/** A message as gRPC sends it. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, HEAD)
  return frame
}

/** Throws a MalformedError for what no server sends to a client that asked for nothing compressed. */
export function messageReader(): FrameReader {
  return new FrameReader(HEAD, (bytes, at) => {
    if (bytes[at] !== 0) throw new MalformedError('a message is compressed')
    const length = bytes.readUInt32BE(at + 1)
    if (length > LONGEST) throw new MalformedError(`a message has ${length} bytes`)
    return HEAD + length
  })
}

const SUCCESS = new GrpcError(0, 'the call has ended')

export function isSuccess(error: Error): boolean {
  return error instanceof GrpcError && error.code === 0
}

function verdictOf(headers: Headers): Error {
  const code = Number(headers['grpc-status'] ?? Number.NaN)
  if (code === 0) return SUCCESS
  const told = headers['grpc-message'] ?? 'no reason was told'
  return new GrpcError(Number.isInteger(code) ? code : grpcCodes.unavailable, unescaped(told))
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
