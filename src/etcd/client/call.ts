import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import { FrameReader, framed } from './frames.js'
import { ConnectionError, GrpcError, grpcCodes } from './grpc-error.js'

/** What a call tells while it goes on, and once when it has ended. */
export interface CallListener {
  readonly message: (message: Buffer) => void
  readonly end: (error: Error) => void
}

/** One call of gRPC, which is one stream of HTTP/2: messages, and a status at the end. */
export class Call {
  readonly #frames = new FrameReader()
  #verdict: Error | undefined
  #over = false

  constructor(
    private readonly stream: ClientHttp2Stream,
    private readonly listener: CallListener,
    /** What a call fails with whose stream or connection breaks. */
    private readonly failure: () => Error,
  ) {
    stream.on('response', (headers) => this.#response(headers))
    stream.on('trailers', (headers) => this.#status(headers))
    stream.on('data', (bytes: Buffer) => this.#data(bytes))
    stream.once('end', () => this.#said())
    // What it was closed with tells more.
    stream.on('error', () => undefined)
    stream.once('close', () => this.#end(this.failure()))
  }

  /** @param last whether nothing comes after it */
  send(message: Buffer, last: boolean): void {
    if (this.#over) return
    if (last) this.stream.end(framed(message))
    else this.stream.write(framed(message))
  }

  close(): void {
    this.stream.close(constants.NGHTTP2_CANCEL)
  }

  #response(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const status = headers[':status']
    // A call that is refused has its status there, and no body.
    this.#status(headers)
    if (status === 200 || this.#verdict) return
    // A balancer that has lost the server says so, too: what it had passed on may have been carried out.
    this.#fail(new ConnectionError(`the server answered with HTTP status ${status}`, true))
  }

  #status(headers: IncomingHttpHeaders): void {
    if (headers['grpc-status'] !== undefined) this.#verdict = verdictOf(headers)
  }

  #data(bytes: Buffer): void {
    if (this.#over) return
    try {
      for (const message of this.#frames.read(bytes)) this.listener.message(message)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The server has said all. */
  #said(): void {
    if (this.#frames.torn) this.#fail(new ConnectionError('the answer ended within a message', true))
    else this.#fail(this.#verdict ?? new ConnectionError('the answer ended without a status', true))
  }

  #fail(error: unknown): void {
    this.#end(error instanceof Error ? error : new Error(String(error)))
    if (!this.stream.closed) this.close()
  }

  #end(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.listener.end(error)
  }
}

const SUCCESS = new GrpcError(0, 'the call has ended')

export function isSuccess(error: Error): boolean {
  return error instanceof GrpcError && error.code === 0
}

function verdictOf(headers: IncomingHttpHeaders): Error {
  const code = Number(headers['grpc-status'] ?? Number.NaN)
  if (code === 0) return SUCCESS
  const told = String(headers['grpc-message'] ?? 'no reason was told')
  return new GrpcError(Number.isInteger(code) ? code : grpcCodes.unavailable, unescaped(told))
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
