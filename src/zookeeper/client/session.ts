import type { ConnectionOptions } from 'node:tls'
import { pause } from '../../time/pause.js'
import type { Schedule } from '../../time/schedule.js'
import type { Rota } from './address.js'
import { Connection, type NodeEvent } from './connection.js'
import { closeSession, getData, type Operation, unwatchNode, watchNode } from './operations.js'
import { codes, orNone, RefusedError } from './result-codes.js'
import { Watches } from './watches.js'

/** Which servers, and who asks. */
export interface SessionTerms {
  readonly rota: Rota
  readonly tls: ConnectionOptions | undefined
  /** Such as `user:password` for the scheme `digest`. */
  readonly identity: { readonly scheme: string; readonly auth: string } | undefined
  readonly schedule: Schedule
  /** Everything that is asked is answered or rejected within this time. */
  readonly commandTimeoutMs: number
  /** The connection is gone, the session perhaps not. */
  readonly onSuspended: (cause: Error) => void
  /** The server has ended the session, with all that ends with it. */
  readonly onExpired: (session: ZooKeeperSession, cause: Error) => void
}

/** There was no answer in time: it may come about yet, or not. */
export class NoAnswerError extends Error {}

/** The session is over; nothing was sent. */
export class SessionOverError extends Error {}

/** Within a session a server that stays silent for this part of it is given up, so that there is time for another. */
const SILENCE = 1 / 6
const LEAST_SILENCE_MS = 150
/** How long to pause when no server was to be had. */
const PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500
/** How long a server may take to confirm the end of a session. */
const GOODBYE_MS = 500
/** A node that may not be read tells nothing: then it is looked at after so long. */
const LOOK_AGAIN_MS = 1_000

/** A session, over as many connections as it takes: what it made ends with it, and it ends when no server has heard of it for its time. */
export class ZooKeeperSession {
  /** For the end of a node. */
  readonly #watches = new Watches<boolean>()
  /** For every change. */
  readonly #changes = new Watches<void>()
  readonly #waiting = new Set<Waiting>()
  #connection: Connection | undefined
  /** The last that was made, whatever became of it. */
  #dialled: Connection | undefined
  /** One that ends once it has answered what is under way. */
  #retiring: Connection | undefined
  #connecting = false
  /** Whether it is being told what happened while it had no connection, in whatever order. */
  #catchesUp = false
  /** Whether there is a node that it may not read, and so cannot watch. */
  #blind = false
  /** How many servers in turn were not to be had. */
  #failures = 0
  #over: Error | undefined
  /** When it was last used. */
  #usedAt: number
  #touchedAt: number
  #seenZxid: bigint
  #timeoutMs: number

  #id = 0n
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
    this.#timeoutMs = askedMs
    this.#seenZxid = seenZxid
    this.#usedAt = terms.schedule.clock.now()
    this.#touchedAt = this.#usedAt
  }

  /** Begins it at the first server that answers. Rejects with what the last of them said that had time to. */
  async begin(): Promise<void> {
    const { schedule, rota, commandTimeoutMs } = this.terms
    const deadline = schedule.clock.now() + commandTimeoutMs
    // All of them have a chance, where one hangs too.
    const welcomeMs = commandTimeoutMs / (rota.size + 1)
    let cause: unknown
    for (let failures = 1; ; failures += 1) {
      const leftMs = deadline - schedule.clock.now()
      if (this.#over) throw this.#over
      try {
        return await this.#connect(Math.min(welcomeMs, leftMs))
      } catch (error) {
        // That one with less time than others was silent says nothing.
        if (leftMs >= welcomeMs) cause = error
        const pauseMs = failures < rota.size ? 0 : PAUSE_MS
        if (schedule.clock.now() + pauseMs >= deadline) throw cause
        if (pauseMs > 0) await pause(schedule, pauseMs)
      }
    }
  }

  get id(): bigint {
    return this.#id
  }

  /** After how long without news of this client the server ends it. */
  get timeoutMs(): number {
    return this.#timeoutMs
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
   * Asks the server. Two requests of one turn go out together and are carried out in their order.
   * Rejects with a `RefusedError`, a `ConnectionLostError`, a {@link NoAnswerError} or a {@link SessionOverError}.
   */
  request<Result>(operation: Operation<Result>): Promise<Result> {
    return this.#through((connection) => connection.request(operation))
  }

  /** Tells the server that this client lives. */
  ping(): Promise<void> {
    return this.#through((connection) => connection.ping())
  }

  /** Since when the server that the client is connected to has known it to be alive, or later, by the client's clock. */
  get touchedAt(): number {
    return this.#touchedAt
  }

  /**
   * Connects anew: a server that takes a session over tells the leader at once that the client lives. That server also ends the earlier
   * connection, so this waits until everything under way there has been answered.
   */
  reattach(): void {
    const connection = this.#connection
    if (!connection) return
    this.#connection = undefined
    this.#retiring = connection
    connection.retire()
  }

  /**
   * Calls back once when that node is gone or may be, unless called off. `inOrder`: it is gone, and whatever was watched before it and
   * went before it has been told of before. Nobody hears of a session that is over.
   */
  watch(path: string, onGone: (inOrder: boolean) => void): { close(): void } {
    if (this.#watches.add(path, onGone)) this.#arm(path)
    return {
      close: () => {
        if (this.#watches.delete(path, onGone)) this.#disarm(path)
      },
    }
  }

  /** Calls back whenever that node may have been made, changed or removed, from the confirmation on. */
  watchChanges(
    path: string,
    onChange: () => void,
  ): { readonly confirmed: Promise<void>; readonly close: () => void } {
    this.#changes.add(path, onChange)
    return {
      confirmed: orNone(this.request(watchNode(path))),
      close: () => {
        if (this.#changes.delete(path, onChange)) this.#disarm(path)
      },
    }
  }

  /**
   * Ends it, and all that ends with it: here at once, and at the server. Rejects when that server has not confirmed it in time: then it
   * may be asked for again, of the next.
   */
  async end(): Promise<void> {
    const { schedule } = this.terms
    const connection = this.#connection ?? this.#dial(GOODBYE_MS, () => undefined)
    const ended = new SessionOverError('the session was ended')
    this.#finish(ended)
    const alarm = schedule.at(schedule.clock.now() + GOODBYE_MS, () => connection.end(ended))
    try {
      const { timeoutMs } = await connection.welcome
      if (timeoutMs > 0) await connection.request(closeSession)
    } finally {
      schedule.cancel(alarm)
      connection.end(ended)
    }
  }

  /** Lets go of its connection, also of one that is being made or says goodbye; the session ends by itself. */
  abandon(): void {
    const closed = new SessionOverError('the client was closed')
    this.#finish(closed)
    this.#dialled?.end(closed)
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
            this.#touchedAt = Math.max(this.#touchedAt, sentAt)
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

  /** What a refusal says of the session. */
  #heed(error: unknown): void {
    if (!(error instanceof RefusedError)) return
    if (error.code === codes.sessionExpired) this.#expired()
    if (error.code === codes.sessionMoved) this.#connection?.end(error)
  }

  /** At the next server in turn. */
  async #connect(welcomeMs: number): Promise<void> {
    const sentAt = this.terms.schedule.clock.now()
    const connection = this.#dial(welcomeMs, (cause) => this.#disconnected(connection, cause))
    const { timeoutMs, session, password } = await connection.welcome
    if (timeoutMs <= 0) {
      connection.end(new Error('the session has ended'))
      return this.#expired()
    }
    if (this.#over) return connection.end(this.#over)
    this.#id = session
    this.#password = password
    this.#timeoutMs = timeoutMs
    this.#touchedAt = Math.max(this.#touchedAt, sentAt)
    this.#adopt(connection)
  }

  #dial(welcomeMs: number, onEnd: (cause: Error) => void): Connection {
    const { rota, tls, schedule } = this.terms
    this.#dialled?.end(new Error('the client connects anew'))
    this.#dialled = new Connection(
      {
        ...{ address: rota.next(), tls, schedule, welcomeMs },
        onEvent: (event) => this.#happened(event),
        onEnd,
      },
      { seenZxid: this.#seenZxid, timeoutMs: this.#timeoutMs, session: this.#id, password: this.#password },
    )
    return this.#dialled
  }

  #adopt(connection: Connection): void {
    if (connection.ended) throw new Error('the connection has ended')
    const { identity } = this.terms
    this.#connection = connection
    this.#failures = 0
    connection.silenceMs = this.#silenceMs
    const refused = (error: unknown): void => {
      if (error instanceof RefusedError) connection.end(error)
    }
    if (identity) connection.authenticate(identity.scheme, identity.auth).catch(refused)
    const { paths } = this.#watches
    this.#catchesUp = paths.length > 0
    if (this.#catchesUp) {
      const caughtUp = (): void => {
        if (this.#connection === connection) this.#catchesUp = false
      }
      connection.setWatches(this.#seenZxid, paths).then(caughtUp, refused)
    }
    // Nobody knows what they missed.
    for (const path of this.#changes.paths) this.#changed(path)
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

  #happened({ path, gone }: NodeEvent): void {
    if (this.#changes.has(path)) this.#changed(path)
    else if (gone) this.#watches.tellLast(path, !this.#catchesUp && !this.#blind)
    else if (this.#watches.has(path)) this.#arm(path)
  }

  /** It is watched again before anybody looks. */
  #changed(path: string): void {
    this.#connection?.request(watchNode(path)).catch(() => undefined)
    this.#changes.tell(path)
  }

  /** How long a server may be silent. */
  get #silenceMs(): number {
    return Math.max(this.#timeoutMs * SILENCE, LEAST_SILENCE_MS)
  }

  /** Whether it is worth a connection: something waits for it, or it may be alive and of use. */
  get #wanted(): boolean {
    if (this.#over) return false
    return this.#waiting.size > 0 || this.terms.schedule.clock.now() < this.#usedAt + this.#timeoutMs
  }

  #arm(path: string): void {
    // Without a connection it is set with the others when there is one, and likewise if this connection breaks meanwhile.
    this.#connection?.request(getData(path, true)).catch((error: unknown) => {
      if (!(error instanceof RefusedError)) return
      if (error.code === codes.noNode) return this.#watches.tellLast(path, !this.#blind)
      this.#blind = true
      const { schedule } = this.terms
      schedule.at(schedule.clock.now() + LOOK_AGAIN_MS, () => this.#watches.tellLast(path, false))
    })
  }

  /** Else the server would keep what nobody waits for until that node goes. */
  #disarm(path: string): void {
    this.#connection?.request(unwatchNode(path)).catch(() => undefined)
  }

  #reconnect(): void {
    if (this.#connecting || this.#retiring) return
    this.#connecting = true
    this.#connectAgain().finally(() => {
      this.#connecting = false
      // What was asked when it had just given up.
      if (this.#waiting.size > 0 && !this.#connection) this.#reconnect()
    })
  }

  async #connectAgain(): Promise<void> {
    const { schedule, rota } = this.terms
    while (this.#wanted && !this.#connection) {
      try {
        await this.#connect(this.#silenceMs)
      } catch {
        this.#failures += 1
        const rounds = Math.floor(this.#failures / rota.size)
        if (rounds > 0) await pause(schedule, Math.min(PAUSE_MS * 2 ** (rounds - 1), LONGEST_PAUSE_MS))
      }
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
    this.#retiring?.end(cause)
    for (const { fail } of this.#waiting) fail(cause)
    this.#waiting.clear()
  }
}

/** A request for which there is no connection yet. */
interface Waiting {
  send(connection: Connection): void
  fail(error: unknown): void
}
