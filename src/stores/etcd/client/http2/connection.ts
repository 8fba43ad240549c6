import type { Socket } from 'node:net'
import { type ConnectionOptions, TLSSocket } from 'node:tls'
import { isError } from '../../../../base/errors/is-error.js'
import { dial } from '../../../../base/network/dial.js'
import {
  contentOf,
  type Frame,
  frameFlags,
  frameReader,
  frameTypes,
  LONGEST_PAYLOAD,
  NOTHING,
  numberPayload,
  readFrame,
  readSettings,
  settingNumbers,
  settingsPayload,
  writeFrame,
} from './frame.js'
import { HeadersReader } from './headers.js'
import { lateAnswers } from './owed-pings.js'
import type { Http2Stream } from './stream.js'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** How much may come without leave; the first is what HTTP/2 begins with. */
const FIRST_WINDOW = 65_535
const WINDOW = 2 ** 24
/** After so many bytes the client sends a window update. */
const WINDOW_STEP = 2 ** 20
const LAST_STREAM = 2 ** 31 - 1

const SETTINGS_TAKEN = writeFrame(frameTypes.settings, frameFlags.ack, 0, NOTHING)

const CANCEL = 8
const REFUSED = 7

/** The most bytes that wait for a server that does not read, while it asks for more. */
const MOST_UNREAD = 2 ** 20

export interface ConnectionListener {
  /** The server speaks HTTP/2. */
  ready(): void
  /** The connection opens no further stream; those that the server has begun go on. */
  leaving(): void
  /** Called once, after all streams know. */
  closed(): void
}

/**
 * A client's side of HTTP/2, of which there is as much as gRPC needs: no pushes, no priorities, no notes of headers. Node's own
 * (`node:http2`) takes several times as long for a short call. It keeps no process alive.
 */
export class Http2Connection {
  readonly #socket: Socket
  readonly #frames = frameReader()
  readonly #headersIn = new HeadersReader()
  readonly #streams = new Map<number, Http2Stream>()
  /** Streams that wait until the server allows one more. */
  readonly #waiting: Http2Stream[] = []
  readonly #pings: Array<(answered: boolean) => void> = []
  #nextStream = 1
  #mostStreams = Infinity
  #window = FIRST_WINDOW
  #streamWindow = FIRST_WINDOW
  #received = 0
  #ready = false
  /** Whether it opens no further stream. */
  leaving = false
  /** How many settings of the server wait for confirmation. */
  #newSettings = 0
  readonly #answerPing = lateAnswers((answers) => this.#send(answers))
  /** What broke it, if the connection knows. */
  failure: unknown

  constructor(
    url: string,
    tls: ConnectionOptions | undefined,
    private readonly listener: ConnectionListener,
  ) {
    const { hostname, protocol, port } = new URL(url)
    const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
    const secure = protocol === 'https:'
    const socket = dial(address, secure ? { ALPNProtocols: ['h2'], ...tls } : undefined)
    this.#socket = socket
    socket.once(secure ? 'secureConnect' : 'connect', () => this.#begin())
    socket.on('data', (bytes) => this.#hear(bytes))
    socket.once('error', (error) => {
      this.failure ??= error
    })
    socket.once('end', () => socket.destroy())
    socket.once('close', () => this.#end())
  }

  /** Opens no further stream, and ends with the last one under way. Waiting streams have sent nothing. */
  leave(): void {
    this.leaving = true
    for (const { listener } of this.#waiting.splice(0)) listener.broken(false)
    this.#endIfIdle()
  }

  /** Opens the stream with its first message. */
  open(stream: Http2Stream): void {
    this.#waiting.push(stream)
  }

  /** Sends the stream's bytes, as far as the server allows. */
  flush(stream: Http2Stream): void {
    if (stream.number === 0) this.#start()
    else this.#send(this.#dataOf(stream))
  }

  cancel(stream: Http2Stream): void {
    const at = this.#waiting.indexOf(stream)
    if (at >= 0) this.#waiting.splice(at, 1)
    else if (this.#forget(stream.number))
      this.#send(writeFrame(frameTypes.reset, 0, stream.number, numberPayload(CANCEL)))
  }

  /** Calls back when the server has answered, or the connection has ended. */
  ping(onEnd: (answered: boolean) => void): void {
    this.#pings.push(onEnd)
    this.#send(writeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #begin(): void {
    const socket = this.#socket
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
      socket.destroy(new Error('the server speaks no HTTP/2'))
      return
    }
    const settings = settingsPayload([
      [settingNumbers.headerTableSize, 0],
      [settingNumbers.enablePush, 0],
      [settingNumbers.initialWindowSize, WINDOW],
    ])
    this.#send(
      Buffer.concat([
        PREFACE,
        writeFrame(frameTypes.settings, 0, 0, settings),
        writeFrame(frameTypes.windowUpdate, 0, 0, numberPayload(WINDOW - FIRST_WINDOW)),
      ]),
    )
  }

  #send(bytes: Buffer): void {
    if (bytes.length > 0 && this.#socket.writable) this.#socket.write(bytes)
  }

  /** Opens those that wait, as many as the server allows. */
  #start(): void {
    while (this.#ready && this.#waiting.length > 0 && this.#streams.size < this.#mostStreams) {
      const stream = this.#waiting.shift()
      if (!stream) return
      stream.number = this.#nextStream
      stream.window = this.#streamWindow
      this.#nextStream += 2
      this.#streams.set(stream.number, stream)
      this.#send(Buffer.concat([...stream.headerFrames(), this.#dataOf(stream)]))
      if (this.#nextStream > LAST_STREAM) this.listener.leaving()
    }
  }

  #dataOf(stream: Http2Stream): Buffer {
    const frames: Buffer[] = []
    for (;;) {
      const chunk = stream.take(Math.min(this.#window, LONGEST_PAYLOAD))
      if (!chunk) return frames.length === 1 ? (frames[0] ?? NOTHING) : Buffer.concat(frames)
      this.#window -= chunk.bytes.length
      frames.push(
        writeFrame(frameTypes.data, chunk.last ? frameFlags.endStream : 0, stream.number, chunk.bytes),
      )
    }
  }

  #flushAll(): void {
    for (const stream of this.#streams.values()) this.#send(this.#dataOf(stream))
  }

  #forget(number: number): boolean {
    const known = this.#streams.delete(number)
    if (known && this.#waiting.length > 0) this.#start()
    if (known) this.#endIfIdle()
    return known
  }

  #endIfIdle(): void {
    if (this.leaving && this.#streams.size === 0) this.#socket.destroySoon()
  }

  #end(): void {
    const sent = [...this.#streams.values()]
    const waiting = this.#waiting.splice(0)
    this.#streams.clear()
    for (const { listener } of sent) listener.broken(true)
    for (const { listener } of waiting) listener.broken(false)
    for (const onEnd of this.#pings.splice(0)) onEnd(false)
    this.listener.closed()
  }

  #hear(bytes: Buffer): void {
    try {
      for (const frame of this.#frames.read(bytes)) {
        if (this.#socket.destroyed) return
        this.#carryOut(readFrame(frame))
      }
      this.#takeSettings()
    } catch (error) {
      // This is not HTTP/2: what follows makes no sense either.
      this.#socket.destroy(isError(error) ? error : new Error(String(error)))
    }
  }

  #carryOut(frame: Frame): void {
    const { type, flags, stream, payload } = frame
    if (!this.#ready && this.#newSettings === 0 && type !== frameTypes.settings)
      throw new RangeError('the server speaks no HTTP/2')
    if (this.#headersIn.unfinished && type !== frameTypes.continuation)
      throw new RangeError('a block of headers is cut off')
    switch (type) {
      case frameTypes.data:
        this.#data(frame)
        break
      case frameTypes.headers:
      case frameTypes.continuation:
        this.#headers(frame)
        break
      case frameTypes.reset:
        this.#reset(stream, payload.readUInt32BE())
        break
      case frameTypes.settings:
        if ((flags & frameFlags.ack) === 0) this.#settings(payload)
        break
      case frameTypes.ping:
        if (flags & frameFlags.ack) this.#pings.shift()?.(true)
        else this.#answerPing(payload)
        break
      case frameTypes.goAway:
        this.#goAway(payload.readUInt32BE() & 0x7fffffff)
        break
      case frameTypes.windowUpdate:
        this.#mayFlow(stream, payload.readUInt32BE() & 0x7fffffff)
        break
      case frameTypes.pushPromise:
        throw new RangeError('the server pushes what nobody asked for')
    }
  }

  /** The server does not carry out what came after that stream. What came before goes on. */
  #goAway(lastServed: number): void {
    for (const { number, listener } of [...this.#streams.values()]) {
      if (number <= lastServed) continue
      this.#streams.delete(number)
      listener.broken(false)
    }
    this.leave()
    this.listener.leaving()
  }

  #data(frame: Frame): void {
    const length = frame.payload.length
    const stream = this.#streams.get(frame.stream)
    this.#received += length
    if (this.#received >= WINDOW_STEP) {
      this.#send(writeFrame(frameTypes.windowUpdate, 0, 0, numberPayload(this.#received)))
      this.#received = 0
    }
    if (!stream) return
    const last = (frame.flags & frameFlags.endStream) !== 0
    stream.received += length
    if (stream.received >= WINDOW_STEP && !last) {
      this.#send(writeFrame(frameTypes.windowUpdate, 0, frame.stream, numberPayload(stream.received)))
      stream.received = 0
    }
    stream.listener.data(contentOf(frame))
    if (last) this.#over(stream)
  }

  #headers(frame: Frame): void {
    const block = this.#headersIn.add(frame)
    const stream = block && this.#streams.get(block.stream)
    if (!stream) return
    stream.listener.headers(block.headers)
    if (block.last) this.#over(stream)
  }

  #over(stream: Http2Stream): void {
    // End a stream that has not sent everything, too.
    if (!stream.ended) this.cancel(stream)
    else this.#forget(stream.number)
    stream.listener.end()
  }

  #reset(number: number, code: number): void {
    const stream = this.#streams.get(number)
    if (this.#forget(number)) stream?.listener.broken(code !== REFUSED)
  }

  #settings(payload: Buffer): void {
    for (const [number, value] of readSettings(payload)) {
      if (number === settingNumbers.maxConcurrentStreams) this.#mostStreams = value
      if (number !== settingNumbers.initialWindowSize) continue
      for (const stream of this.#streams.values()) stream.window += value - this.#streamWindow
      this.#streamWindow = value
    }
    this.#newSettings += 1
  }

  /** Confirms all new settings together, each with its own frame. */
  #takeSettings(): void {
    if (this.#newSettings === 0) return
    if (this.#socket.writableLength > MOST_UNREAD)
      throw new RangeError('the server sends settings, and does not read what it is answered')
    this.#send(Buffer.concat(Array.from({ length: this.#newSettings }, () => SETTINGS_TAKEN)))
    this.#newSettings = 0
    if (!this.#ready) {
      this.#ready = true
      this.listener.ready()
    }
    this.#start()
    this.#flushAll()
  }

  #mayFlow(number: number, bytes: number): void {
    const stream = this.#streams.get(number)
    if (number === 0) this.#window += bytes
    else if (stream) stream.window += bytes
    this.#flushAll()
  }
}
