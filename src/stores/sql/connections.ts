import type { Timer } from '../../base/time/clock.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import { closedError, timeoutOf } from '../../port/failure.js'
import type { StoreSettings } from '../../port/store.js'
import type { SqlConnection, SqlRow } from './connection.js'
import type { Connector } from './connector.js'
import { type Question, readBy } from './question.js'

/** The idle time after which a connection closes. */
const IDLE_MS = 10_000

/** How many connections there may be, and when none need stay. */
export interface ConnectionTerms {
  readonly most: number
  /**
   * Whether the client holds something or waits: then one connection stays, since on a server without room for another one it would lose its
   * locks.
   */
  inUse(): boolean
}

/** A command that waits for a connection. */
interface Command {
  readonly question: Question
  readonly dueAt: number
  readonly alarm: TimerHandle
  resolve(rows: readonly SqlRow[] | Promise<readonly SqlRow[]>): void
  reject(error: unknown): void
}

/**
 * The connections for commands. They open on demand, up to a limit, take one command at a time and close when idle. The last one stays
 * while the client is in use.
 */
export class Connections {
  readonly #idle: Array<{ readonly connection: SqlConnection; readonly since: number }> = []
  readonly #busy = new Set<SqlConnection>()
  readonly #waiting: Command[] = []
  #opening = 0
  /** Not among the client's timers: those are what a call has left to do. */
  #closingIdle: Timer | undefined
  #closed = false

  constructor(
    private readonly connector: Connector,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
    private readonly terms: ConnectionTerms,
  ) {}

  /** Rejects with a `StoreError`, after `timeoutMs` at the latest. */
  query(question: Question, timeoutMs = this.settings.commandTimeoutMs): Promise<readonly SqlRow[]> {
    if (this.#closed) return Promise.reject(closedError(question.about))
    if (timeoutMs <= 0) return Promise.reject(timeoutOf(question.about, timeoutMs))
    const idle = this.#idle.pop()
    if (idle) return this.#ask(idle.connection, question, timeoutMs)
    return new Promise((resolve, reject) => {
      const { schedule } = this.settings
      const dueAt = schedule.clock.now() + timeoutMs
      const alarm = schedule.at(dueAt, () => {
        this.#waiting.splice(this.#waiting.indexOf(command), 1)
        reject(timeoutOf(question.about, timeoutMs))
      })
      const command: Command = { question, dueAt, alarm, resolve, reject }
      this.#waiting.push(command)
      this.#openMore()
    })
  }

  /** Asks, and reads the answer. Rejects also where that is none. */
  read<Result>(
    question: Question,
    read: (rows: readonly SqlRow[]) => Result,
    timeoutMs?: number,
  ): Promise<Result> {
    return readBy(question.about, this.query(question, timeoutMs), read)
  }

  /** Ends all connections, those of its connector too, and rejects what is under way. Waits for nothing. */
  close(): void {
    this.#closed = true
    this.connector.close()
    this.#closingIdle?.cancel()
    for (const { connection } of this.#idle.splice(0)) connection.end()
    for (const connection of this.#busy) connection.destroy()
    this.#rejectWaiting((question) => closedError(question.about))
  }

  async #ask(connection: SqlConnection, question: Question, timeoutMs: number): Promise<readonly SqlRow[]> {
    this.#busy.add(connection)
    try {
      return await this.connector.ask(connection, question, timeoutMs)
    } finally {
      this.#busy.delete(connection)
      if (connection.open) this.#free(connection)
      else this.#openMore()
    }
  }

  #free(connection: SqlConnection): void {
    const { schedule } = this.settings
    const next = this.#waiting.shift()
    if (next) {
      schedule.cancel(next.alarm)
      next.resolve(this.#ask(connection, next.question, next.dueAt - schedule.clock.now()))
    } else if (this.#closed) {
      connection.end()
    } else {
      this.#idle.push({ connection, since: schedule.clock.now() })
      this.#closeIdleAfter(IDLE_MS)
    }
  }

  #openMore(): void {
    const open = this.#idle.length + this.#busy.size + this.#opening
    if (this.#closed || open >= this.terms.most || this.#opening >= this.#waiting.length) return
    this.#opening += 1
    this.connector.open().then(
      (connection) => {
        this.#opening -= 1
        connection.onEnd(() => this.#ended(connection))
        this.#free(connection)
      },
      (error: unknown) => {
        this.#opening -= 1
        // Where others are open, the server may only have no room for more.
        if (this.#idle.length + this.#busy.size + this.#opening === 0) this.#rejectWaiting(() => error)
      },
    )
  }

  #ended(connection: SqlConnection): void {
    this.#busy.delete(connection)
    const at = this.#idle.findIndex((idle) => idle.connection === connection)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#openMore()
  }

  #closeIdleAfter(ms: number): void {
    this.#closingIdle ??= this.settings.schedule.clock.startTimer(() => {
      this.#closingIdle = undefined
      this.#closeIdle()
    }, ms)
  }

  #closeIdle(): void {
    const now = this.settings.schedule.clock.now()
    const least = this.terms.inUse() ? 1 : 0
    const mayClose = (): boolean => this.#idle.length + this.#busy.size > least
    // The longest idle ones stand first.
    while (this.#idle[0] && this.#idle[0].since <= now - IDLE_MS && mayClose())
      this.#idle.shift()?.connection.end()
    const [first] = this.#idle
    const restMs = first ? first.since + IDLE_MS - now : 0
    if (first) this.#closeIdleAfter(restMs > 0 ? restMs : IDLE_MS)
  }

  #rejectWaiting(errorFor: (question: Question) => unknown): void {
    for (const { alarm, question, reject } of this.#waiting.splice(0)) {
      this.settings.schedule.cancel(alarm)
      reject(errorFor(question))
    }
  }
}
