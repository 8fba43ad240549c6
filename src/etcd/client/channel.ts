import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { connect as connectNet, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { Call, type CallListener, isSuccess } from './call.js'
import { ConnectionError } from './grpc-error.js'
import { MalformedError } from './protobuf.js'

/** Headers by their names. */
export type Headers = Readonly<Record<string, string>>

/** What becomes of a connection. */
interface ChannelListener {
  /** No further call is to be made on it: calls under way may go on. */
  leaving(): void
  ended(): void
}

export interface MessageStream {
  send(message: Buffer): void
  close(): void
}

/** How much may come without leave. */
const WINDOW = 2 ** 24

/** One connection to one etcd server, by gRPC on HTTP/2. It keeps no process alive. */
export class Channel {
  readonly #socket: Socket
  readonly #session: ClientHttp2Session
  readonly #headers: Headers
  /** Settles when the server can be talked to, or cannot. */
  readonly opened: Promise<void>
  readonly #host: string
  #failure: unknown
  /** The number of the last stream that a server which goes away serves. */
  #lastServed = Infinity

  /** @param url `http://…`, or `https://…` for TLS */
  constructor(url: string, tls: ConnectionOptions | undefined, listener: ChannelListener) {
    this.#host = new URL(url).host
    this.#headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }
    this.#socket = socketTo(url, tls)
    const socket = this.#socket.setNoDelay(true).unref()
    const settings = { enablePush: false, initialWindowSize: WINDOW }
    this.#session = connect(url, { createConnection: () => socket, settings })
    const session = this.#session
    // A session does not learn by itself of a server that says nothing more, or that TLS refuses.
    socket.once('end', () => this.end())
    session.once('connect', () => session.setLocalWindowSize(WINDOW))
    session.on('goaway', (_, lastServed) => {
      this.#lastServed = lastServed
      listener.leaving()
    })
    const broken = (error: Error): void => {
      this.#failure ??= error
      this.end()
    }
    socket.once('error', broken)
    session.on('error', broken)
    this.opened = new Promise((resolve, reject) => {
      session.once('remoteSettings', () => resolve())
      socket.once('close', () => {
        this.end()
        reject(this.#broken(false))
        listener.ended()
      })
    })
    this.opened.catch(() => undefined)
  }

  /**
   * The message with which the server answers. Rejects with what is in grpc-error.ts, or a `MalformedError`.
   *
   * @param goesOn whether the server would take further messages: then the call ends with the first answer. etcd's proxy does not answer who
   * has nothing more to say.
   */
  ask(path: string, request: Buffer, metadata: Headers, goesOn = false): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined
      let answers = 0
      const call = this.#open(path, metadata, {
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

  /** A call with many messages in both directions. */
  converse(path: string, metadata: Headers, listener: CallListener): MessageStream {
    const call = this.#open(path, metadata, listener)
    return {
      send: (message) => call?.send(message, false),
      close: () => call?.close(),
    }
  }

  /** Resolves when the server has answered, if only to say that it is there. */
  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = (error: Error | null): void => (error ? reject(this.#broken(true)) : resolve())
      if (this.#session.destroyed) reject(this.#broken(false))
      else this.#session.ping(over)
    })
  }

  /** No further call is made on it. It ends with the last that is under way. */
  leave(): void {
    this.#session.close()
  }

  /** Breaks it, with all calls that are under way. */
  end(): void {
    this.#session.destroy()
    this.#socket.destroy()
  }

  #open(path: string, metadata: Headers, listener: CallListener): Call | undefined {
    const { closed, destroyed } = this.#session
    if (!closed && !destroyed) {
      const stream = this.#session.request({ ':path': path, ...this.#headers, ...metadata })
      return new Call(stream, listener, () => this.#broken(this.#mayBeServed(stream)))
    }
    listener.end(this.#broken(false))
    return undefined
  }

  /** Whether what a stream says that has broken may have been carried out. */
  #mayBeServed({ id, rstCode }: ClientHttp2Stream): boolean {
    return id !== undefined && id <= this.#lastServed && rstCode !== constants.NGHTTP2_REFUSED_STREAM
  }

  #broken(sent: boolean): ConnectionError {
    const why = this.#failure instanceof Error ? `: ${this.#failure.message}` : ''
    return new ConnectionError(`the connection to ${this.#host} ended${why}`, sent, this.#failure)
  }
}

function socketTo(url: string, tls: ConnectionOptions | undefined): Socket {
  const { hostname, protocol, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port) }
  if (protocol === 'http:') return connectNet(address)
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ ...servername, ALPNProtocols: ['h2'], ...tls, ...address })
}
