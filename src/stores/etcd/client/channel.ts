import type { ConnectionOptions } from 'node:tls'
import { isError } from '../../../base/errors/is-error.js'
import { Call, type CallListener, isSuccess } from './call.js'
import { ConnectionError } from './grpc-error.js'
import { Http2Connection } from './http2/connection.js'
import { type Headers, writeHeaders } from './http2/headers.js'
import { MalformedError } from './protobuf.js'

/** Hears what becomes of a connection. */
interface ChannelListener {
  /** Takes no further calls; calls under way may go on. */
  leaving(): void
  ended(): void
}

/** One connection to one etcd server, by gRPC on HTTP/2. It keeps no process alive. */
export class Channel {
  readonly #connection: Http2Connection
  readonly #headers: Headers
  /** Encoded headers by the path of a call, with the latest metadata. */
  readonly #blocks = new Map<string, Buffer>()
  #metadata: Headers | undefined
  /** Resolves when the channel is ready for calls; rejects if it cannot open. */
  readonly opened: Promise<void>
  readonly #host: string
  #ended = false

  /** @param url `http://…`, or `https://…` for TLS */
  constructor(url: string, tls: ConnectionOptions | undefined, listener: ChannelListener) {
    const { host, protocol } = new URL(url)
    this.#host = host
    this.#headers = {
      ':method': 'POST',
      ':scheme': protocol.slice(0, -1),
      ':authority': host,
      'content-type': 'application/grpc',
      te: 'trailers',
    }
    let ready = (): void => undefined
    let closed = (): void => undefined
    this.opened = new Promise((resolve, reject) => {
      ready = resolve
      closed = () => reject(this.#broken(false))
    })
    this.opened.catch(() => undefined)
    this.#connection = new Http2Connection(url, tls, {
      ready,
      leaving: () => listener.leaving(),
      closed: () => {
        this.#ended = true
        closed()
        listener.ended()
      },
    })
  }

  /**
   * The message with which the server answers. Rejects with an error of grpc-error.ts, or a `MalformedError`.
   *
   * @param goesOn whether the call stays open for further messages, until the first answer: etcd's proxy does not answer a caller that has
   * ended its side.
   */
  ask(path: string, request: Buffer, metadata: Headers, goesOn = false): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined
      let answers = 0
      const call = this.converse(path, metadata, {
        message: (message) => {
          answer = message
          answers += 1
          if (!goesOn) return
          resolve(message)
          call?.close()
        },
        end: (error) => {
          if (!isSuccess(error)) reject(error)
          else if (answer && answers === 1) resolve(answer)
          else reject(new MalformedError(`${path} was answered by ${answers} messages`))
        },
      })
      call?.send(request, !goesOn)
    })
  }

  /** A call with many messages in both directions, which begins with the first message from here; undefined: it has ended already. */
  converse(path: string, metadata: Headers, listener: CallListener): Call | undefined {
    if (!this.#ended && !this.#connection.leaving) {
      const block = this.#blockOf(path, metadata)
      return new Call(this.#connection, block, listener, (sent) => this.#broken(sent))
    }
    listener.end(this.#broken(false))
    return undefined
  }

  /** Resolves when the server has answered, if only to say that it is there. */
  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = (answered: boolean): void => (answered ? resolve() : reject(this.#broken(true)))
      if (this.#ended) reject(this.#broken(false))
      else this.#connection.ping(over)
    })
  }

  /** Takes no further calls, and ends with the last one under way. */
  leave(): void {
    this.#connection.leave()
  }

  /** Breaks it, with all calls that are under way. */
  end(): void {
    this.#ended = true
    this.#connection.destroy()
  }

  #blockOf(path: string, metadata: Headers): Buffer {
    if (this.#metadata !== metadata) this.#blocks.clear()
    this.#metadata = metadata
    const block = this.#blocks.get(path) ?? writeHeaders({ ':path': path, ...this.#headers, ...metadata })
    this.#blocks.set(path, block)
    return block
  }

  #broken(sent: boolean): ConnectionError {
    const { failure } = this.#connection
    const why = isError(failure) ? `: ${failure.message}` : ''
    return new ConnectionError(`the connection to ${this.#host} ended${why}`, sent, failure)
  }
}
