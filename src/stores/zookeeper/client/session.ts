import type { ConnectionOptions } from 'node:tls'
import { isError } from '../../../base/errors/is-error.js'
import { pause, type Schedule } from '../../../base/time/schedule.js'
import type { Rota } from './address.js'
import { Connection } from './connection.js'
import { MalformedReplyError } from './jute.js'
import { closeSession, type Operation } from './operations.js'
import { codes, RefusedError } from './result-codes.js'
import { WatchedNodes } from './watched-nodes.js'

/** Which servers, and who asks. */
export interface SessionTerms {
  readonly rota: Rota
  readonly tls: ConnectionOptions | undefined
  /** Such as `user:password` for the scheme `digest`. */
  readonly identity: { readonly scheme: string; readonly auth: string } | undefined
  readonly schedule: Schedule
  /** Every request settles within this time. */
  readonly commandTimeoutMs: number
  /** The connection is gone, the session perhaps not. */
  readonly onSuspended: (cause: Error) => void
  /** The server has ended the session, with all that ends with it. */
  readonly onExpired: (session: { readonly id: bigint }, cause: Error) => void
}

/** There was no answer in time: it may come about yet, or not. */
export class NoAnswerError extends Error {}

/** The session is over; the client has sent nothing. */
export class SessionOverError extends Error {}

/** The client gives up a server that is silent for this part of the session's time, so that there is time for another. */
const SILENCE = 1 / 6
const LEAST_SILENCE_MS = 150
/** How long a server may take to confirm the end of a session. */
const GOODBYE_MS = 500

/** A session, over as many connections as it takes. Its nodes end with it, and it ends when no server has heard of it for its time. */
export class ZooKeeperSession {
  readonly nodes: WatchedNodes
  readonly #waiting = new Set<Waiting>()
  #connection: Connection | undefined
  /** The latest connection, whatever became of it. */
  #dialled: Connection | undefined
  /** A connection that ends once it has answered what is under way. */
  #retiring: Connection | undefined
  #connecting = false
  #over: Error | undefined
  /** When it was last used. */
  #usedAt: number
  /** A time, by the client's clock, at which its present server has surely known that it lives. */
  touchedAt: number
  /** After how long without news of this client the server ends it. */
  timeoutMs: number
  #seenZxid: bigint
  id = 0n
  #password: Uint8Array = new Uint8Array(16)

  /**
   * @param askedMs after how long without news of this client it is to end; the server sets bounds to it
   * @param seenZxid the latest transaction that this client knows of: it sees nothing older
   */
  constructor(
    private readonly terms: SessionTerms,
    askedMs: number,
    seenZxid: bigint,
  ) {
    this.nodes = new WatchedNodes(() => this.#connection, terms.schedule)
    this.timeoutMs = askedMs
    this.#seenZxid = seenZxid
    this.#usedAt = terms.schedule.clock.now()
    this.touchedAt = this.#usedAt
  }

  /** Begins it at the first server that answers. Rejects with what the last of them said that had time to. */
  async begin(): Promise<void> {
    const { schedule, rota, commandTimeoutMs } = this.terms
    const deadline = schedule.clock.now() + commandTimeoutMs
    // All of them have a chance, where one hangs too.
    const welcomeMs = commandTimeoutMs / (rota.size + 1)
    let cause: unknown
    for (;;) {
      const pauseMs = cause === undefined ? Math.min(rota.pauseMs, welcomeMs) : rota.pauseMs
      if (schedule.clock.now() + pauseMs >= deadline) throw cause
      if (pauseMs > 0) await pause(schedule, pauseMs)
      const leftMs = deadline - schedule.clock.now()
      if (this.#over) throw this.#over
      try {
        return await this.#connect(Math.min(welcomeMs, leftMs))
      } catch (error) {
        // The silence of a server that had less time than others says nothing.
        if (leftMs >= welcomeMs || cause === undefined) cause = error
      }
    }
  }

  /** The latest transaction that it knows of. */
  get seenZxid(): bigint {
    const seen = (this.#connection ?? this.#retiring)?.seenZxid ?? 0n
    return seen > this.#seenZxid ? seen : this.#seenZxid
  }

  get over(): boolean {
    return this.#over !== undefined
  }

  /**
   * Asks the server, which carries out two requests of one turn in their order.
   * Rejects with a `RefusedError`, a `ConnectionLostError`, a {@link NoAnswerError} or a {@link SessionOverError}.
   */
  request<Result>(operation: Operation<Result>): Promise<Result> {
    return this.#through((connection) => connection.request(operation))
  }

  /** Tells the server that this client lives. */
  ping(): Promise<void> {
    return this.#through((connection) => connection.ping())
  }

  /**
   * Connects anew: a server that takes a session over tells the leader at once that the client lives. That server also ends the earlier
   * connection, so this first waits for all answers there.
   */
  reattach(): void {
    const connection = this.#connection
    if (!connection) return
    this.#connection = undefined
    this.#retiring = connection
    connection.retire()
  }

  /**
   * Ends the session with all its nodes: here at once, and at the server. Rejects if that server does not confirm in time: then the caller may
   * ask the next one.
   */
  async end(): Promise<void> {
    const { schedule } = this.terms
    const connection = this.#connection ?? this.#dial(GOODBYE_MS, () => undefined)
    const ended = new SessionOverError('the session was ended')
    this.#finish(ended)
    const alarm = schedule.at(schedule.clock.now() + GOODBYE_MS, () => connection.letGo(ended))
    try {
      const { timeoutMs } = await connection.welcome
      if (timeoutMs > 0) await connection.request(closeSession)
    } finally {
      schedule.cancel(alarm)
      connection.letGo(ended)
    }
  }

  /** Lets go of its connection, also of one that still opens or says goodbye; the session ends by itself. */
  abandon(): void {
    const closed = new SessionOverError('the client was closed')
    this.#finish(closed)
    this.#dialled?.letGo(closed)
  }

  #through<Result>(ask: (connection: Connection) => Promise<Result>): Promise<Result> {
    const { schedule, commandTimeoutMs } = this.terms
    if (this.#over) return Promise.reject(this.#over)
    const sentAt = schedule.clock.now()
    this.#usedAt = sentAt
    return new Promise<Result>((resolve, reject) => {
      const alarm = schedule.at(sentAt + commandTimeoutMs, () => {
        this.#waiting.delete(waiting)
        reject(new NoAnswerError(`no answer within ${commandTimeoutMs} ms`))
      })
      const waiting: Waiting = {
        send: (connection) => {
          ask(connection).then((result) => {
            schedule.cancel(alarm)
            this.touchedAt = Math.max(this.touchedAt, sentAt)
            resolve(result)
          }, waiting.fail)
        },
        fail: (error) => {
          schedule.cancel(alarm)
          this.#heed(error)
          reject(error)
        },
      }
      if (this.#connection) return waiting.send(this.#connection)
      this.#waiting.add(waiting)
      this.#reconnect()
    })
  }

  /** Notes a refusal that concerns the session. */
  #heed(error: unknown): void {
    if (!(error instanceof RefusedError)) return
    if (error.code === codes.sessionExpired) this.#expired()
    if (error.code === codes.sessionMoved) this.#connection?.end(error)
  }

  /** At the next server in turn. Where that fails, the connection has ended. */
  async #connect(welcomeMs: number): Promise<void> {
    const sentAt = this.terms.schedule.clock.now()
    const connection = this.#dial(welcomeMs, (cause) => this.#disconnected(connection, cause))
    try {
      const { timeoutMs, session, password } = await connection.welcome
      const isNew = this.id === 0n
      if (timeoutMs <= 0) {
        const cause = new RefusedError('session', codes.sessionExpired)
        if (isNew) throw cause
        connection.end(cause)
        return this.#expired()
      }
      if (session === 0n || (!isNew && session !== this.id))
        throw new MalformedReplyError('a welcome to another session')
      if (this.#over) return connection.letGo(this.#over)
      this.id = session
      this.#password = password
      this.timeoutMs = timeoutMs
      this.touchedAt = Math.max(this.touchedAt, sentAt)
      this.#adopt(connection)
    } catch (error) {
      connection.end(isError(error) ? error : new Error(String(error)))
      throw error
    }
  }

  #dial(welcomeMs: number, onEnd: (cause: Error) => void): Connection {
    const { rota, tls, schedule } = this.terms
    const dialledAt = schedule.clock.now()
    this.#dialled?.letGo(new Error('the client connects anew'))
    this.#dialled = new Connection(
      {
        ...{ address: rota.next(), tls, schedule, welcomeMs },
        onEvent: (event) => this.nodes.happened(event),
        onEnd: (cause, broke) => {
          if (broke) rota.broke(schedule.clock.now() - dialledAt)
          onEnd(cause)
        },
      },
      { seenZxid: this.#seenZxid, timeoutMs: this.timeoutMs, session: this.id, password: this.#password },
    )
    return this.#dialled
  }

  #adopt(connection: Connection): void {
    if (connection.ended) throw new Error('the connection has ended')
    const { identity } = this.terms
    this.#connection = connection
    connection.silenceMs = this.#silenceMs
    const refused = (error: unknown): void => {
      if (error instanceof RefusedError) connection.end(error)
    }
    if (identity) connection.authenticate(identity.scheme, identity.auth).catch(refused)
    this.nodes.goOnBy(connection, this.#seenZxid).catch(refused)
    for (const { send } of this.#waiting) send(connection)
    this.#waiting.clear()
  }

  #disconnected(connection: Connection, cause: Error): void {
    if (connection.seenZxid > this.#seenZxid) this.#seenZxid = connection.seenZxid
    if (this.#retiring === connection) {
      this.#retiring = undefined
      this.#reconnect()
    }
    if (this.#connection !== connection) return
    this.#connection = undefined
    if (this.#over) return
    this.terms.onSuspended(cause)
    if (this.#wanted) this.#reconnect()
  }

  /** How long a server may be silent. */
  get #silenceMs(): number {
    return Math.max(this.timeoutMs * SILENCE, LEAST_SILENCE_MS)
  }

  /** Whether it is worth a connection: something waits for it, or it may be alive and of use. */
  get #wanted(): boolean {
    if (this.#over) return false
    return this.#waiting.size > 0 || this.terms.schedule.clock.now() < this.#usedAt + this.timeoutMs
  }

  #reconnect(): void {
    if (this.#connecting || this.#retiring) return
    this.#connecting = true
    this.#connectAgain().finally(() => {
      this.#connecting = false
      // A request came when the session had just given up.
      if (this.#waiting.size > 0 && !this.#connection) this.#reconnect()
    })
  }

  async #connectAgain(): Promise<void> {
    const { schedule, rota } = this.terms
    while (this.#wanted && !this.#connection) {
      const { pauseMs } = rota
      if (pauseMs > 0) await pause(schedule, pauseMs)
      if (this.#wanted && !this.#connection) await this.#connect(this.#silenceMs).catch(() => undefined)
    }
  }

  #expired(): void {
    if (this.#over) return
    const cause = new RefusedError('session', codes.sessionExpired)
    const connection = this.#connection
    this.#finish(new SessionOverError(cause.message, { cause }))
    connection?.end(cause)
    this.terms.onExpired(this, cause)
  }

  #finish(cause: Error): void {
    this.#over ??= cause
    this.#connection = undefined
    this.#retiring?.letGo(cause)
    for (const { fail } of this.#waiting) fail(cause)
    this.#waiting.clear()
  }
}

/** A request for which there is no connection yet. */
interface Waiting {
  send(connection: Connection): void
  fail(error: unknown): void
}
