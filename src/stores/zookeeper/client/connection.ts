import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { type Address, addressText } from '../../../base/checks/address.js'
import { isError } from '../../../base/errors/is-error.js'
import { dial } from '../../../base/network/dial.js'
import { isExiting } from '../../../base/time/at-exit.js'
import { nextTick } from '../../../base/time/machine-time.js'
import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import { frameReader, HEAD, JuteReader, MalformedReplyError } from './jute.js'
import {
  authFrame,
  type Greeting,
  greetingFrame,
  type Operation,
  pingFrame,
  readWelcome,
  requestFrame,
  setWatchesFrame,
  type Welcome,
  xids,
} from './operations.js'
import { codes, RefusedError } from './result-codes.js'

/** How to reach a server, and what to call with its news. */
export interface ConnectionTerms {
  readonly address: Address
  readonly tls: ConnectionOptions | undefined
  readonly schedule: Schedule
  /** How long a server may take to welcome. */
  readonly welcomeMs: number
  /** Something happened to a watched node, which ended the watch. */
  readonly onEvent: (event: NodeEvent) => void
  /** The connection is of no more use, and has rejected what was under way. `broke`: the client did not let go of it. */
  readonly onEnd: (cause: Error, broke: boolean) => void
}

export interface NodeEvent {
  readonly path: string
  readonly gone: boolean
}

interface Pending {
  readonly xid: number
  readonly settle: (reply: JuteReader, code: number) => void
  readonly reject: (cause: Error) => void
}

/** The connection broke: the outcome of what was under way is unknown. */
export class ConnectionLostError extends Error {}

const NODE_DELETED = 2

/** The longest number of a request. */
const LAST_XID = 0x7fffffff

/** How many watches one frame sets anew: a server takes no frame of more than a megabyte. */
const WATCHES_AT_ONCE = 500

/** One connection to one server: requests go out at once, and their answers come in the same order. */
export class Connection {
  readonly #socket: Socket
  readonly #frames = frameReader()
  readonly #pending: Pending[] = []
  #first:
    | { readonly resolve: (welcome: Welcome) => void; readonly reject: (cause: Error) => void }
    | undefined
  #lastXid = 0
  /** The latest transaction in an answer. */
  seenZxid = 0n
  #answeredAt: number
  /** The client gives up a server that owes an answer for this long, whatever else it sends. */
  silenceMs: number
  #alarm: TimerHandle | undefined
  ended = false
  #retired = false

  /** The server's answer to the greeting. */
  readonly welcome: Promise<Welcome>

  /** Connects and greets. */
  constructor(
    private readonly terms: ConnectionTerms,
    greeting: Greeting,
  ) {
    const { address, tls, schedule, welcomeMs } = terms
    this.silenceMs = welcomeMs
    this.#answeredAt = schedule.clock.now()
    this.#socket = dial(address, tls)
    this.#socket.on('data', (chunk: Buffer) => this.#received(chunk))
    this.#socket.on('error', (error) => this.end(error))
    this.#socket.on('close', () => this.end(new Error('the server closed the connection')))
    this.welcome = new Promise<Welcome>((resolve, reject) => {
      this.#first = { resolve, reject }
    })
    this.#socket.write(greetingFrame(greeting))
    this.#listen()
  }

  /** Rejects with a {@link RefusedError}, or a {@link ConnectionLostError}. */
  request<Result>(operation: Operation<Result>): Promise<Result> {
    this.#lastXid = this.#lastXid === LAST_XID ? 1 : this.#lastXid + 1
    const { name, read } = operation
    return this.#ask(name, this.#lastXid, requestFrame(this.#lastXid, operation), read)
  }

  ping(): Promise<void> {
    return this.#ask('ping', xids.ping, pingFrame, nothing)
  }

  authenticate(scheme: string, auth: string): Promise<void> {
    return this.#ask('authenticate', xids.auth, authFrame(scheme, auth), nothing)
  }

  /** Sets the watches anew. The server then tells of every change since that transaction. */
  async setWatches(sinceZxid: bigint, paths: readonly string[]): Promise<void> {
    const frames: Promise<void>[] = []
    for (let from = 0; from < paths.length; from += WATCHES_AT_ONCE) {
      const some = paths.slice(from, from + WATCHES_AT_ONCE)
      frames.push(this.#ask('setWatches', xids.setWatches, setWatchesFrame(sinceZxid, some), nothing))
    }
    await Promise.all(frames)
  }

  /** The client does not need it any more. */
  letGo(cause: Error): void {
    this.end(cause, false)
  }

  /** Ends the connection: it broke, or is of no use. */
  end(cause: Error, broke = true): void {
    if (this.ended) return
    this.ended = true
    this.terms.schedule.cancel(this.#alarm)
    this.#socket.destroy()
    const told = `connection to ${addressText(this.terms.address)}: ${cause.message}`
    const lost = cause instanceof RefusedError ? cause : new ConnectionLostError(told, { cause })
    this.#first?.reject(lost)
    for (const { reject } of this.#pending.splice(0)) reject(lost)
    this.terms.onEnd(lost, broke)
  }

  /** Ends it when nothing is under way. */
  retire(): void {
    this.#retired = true
    if (this.#pending.length === 0) this.#rest()
  }

  /** It need not answer anything. */
  #rest(): void {
    this.terms.schedule.cancel(this.#alarm)
    this.#alarm = undefined
    if (this.#retired) this.letGo(new Error('the client connects anew'))
  }

  #ask<Result>(
    operation: string,
    xid: number,
    frame: Buffer,
    read: (reply: JuteReader) => Result,
  ): Promise<Result> {
    if (this.ended) return Promise.reject(new ConnectionLostError('the connection has ended'))
    const answer = new Promise<Result>((resolve, reject) => {
      const settle = (reply: JuteReader, code: number): void => {
        if (code === 0) resolve(read(reply))
        else reject(new RefusedError(operation, code))
      }
      this.#pending.push({ xid, settle, reject })
    })
    if (isExiting()) this.#socket.uncork()
    else if (!this.#socket.writableCorked) {
      this.#socket.cork()
      // The requests of one turn go out together.
      nextTick(() => this.#socket.uncork())
    }
    this.#socket.write(frame)
    this.#listen()
    return answer
  }

  /** Gives the server up if it stays silent, as long as it is to answer. */
  #listen(): void {
    if (this.#alarm || this.ended) return
    const { schedule } = this.terms
    const { silenceMs } = this
    const askedAt = schedule.clock.now()
    this.#alarm = schedule.at(askedAt + silenceMs, () => {
      this.#alarm = undefined
      if (!this.#first && this.#pending.length === 0) return
      const silentMs = schedule.clock.now() - Math.max(this.#answeredAt, askedAt)
      if (silentMs >= silenceMs)
        this.end(new Error(`the server has answered nothing for ${Math.round(silentMs)} ms`))
      else this.#listen()
    })
  }

  #received(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.read(chunk)) this.#arrived(frame.subarray(HEAD))
    } catch (error) {
      this.end(isError(error) ? error : new Error(String(error)))
    }
  }

  #arrived(frame: Buffer): void {
    if (this.ended) return
    const reply = new JuteReader(frame)
    const first = this.#first
    if (first) {
      const welcome = readWelcome(reply)
      if (welcome.readOnly) throw new RefusedError('connect', codes.notReadOnly)
      this.#first = undefined
      this.#answeredAt = this.terms.schedule.clock.now()
      this.#rest()
      first.resolve(welcome)
      return
    }
    const [xid, zxid, code] = [reply.int(), reply.long(), reply.int()]
    if (xid === xids.event) {
      const [type, , path] = [reply.int(), reply.int(), reply.text()]
      // Others are about the session, and not about a node.
      if (type > 0) this.terms.onEvent({ path, gone: type === NODE_DELETED })
      return
    }
    this.#answer(xid, code, reply)
    // Not of an answer that was none: by a number that is too great no server would let the client in again.
    if (zxid > this.seenZxid) this.seenZxid = zxid
    this.#answeredAt = this.terms.schedule.clock.now()
    if (this.#pending.length === 0) this.#rest()
  }

  #answer(xid: number, code: number, reply: JuteReader): void {
    // The server answers requests with a special number as soon as it reads them, the others in their order.
    const at =
      xid < 0
        ? this.#pending.findIndex((each) => each.xid === xid)
        : this.#pending.findIndex((each) => each.xid > 0)
    const pending = this.#pending[at]
    if (!pending || pending.xid !== xid)
      throw new MalformedReplyError(`an answer to ${xid}, which was not asked`)
    // An unreadable answer throws here, which ends the connection and rejects the request.
    pending.settle(reply, code)
    this.#pending.splice(at, 1)
  }
}

/** Of an answer that says nothing but that it is one. */
const nothing = (): void => undefined
