import { StoreError } from '../../base/errors/errors.js'
import { retryPauseMs } from '../../base/time/back-off.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import { closedError } from '../../port/failure.js'
import type { StoreSettings } from '../../port/store.js'
import { aText, UnexpectedError } from '../rows/parts.js'
import type { Inbox, InboxListener } from '../rows/rows.js'
import { oneOf, only, type SqlRow, type Statement } from '../sql/connection.js'
import type { Connector } from '../sql/connector.js'
import { question } from '../sql/question.js'
import type { ListeningConnection } from './connection.js'
import { type PostgresDialect, poolerError } from './dialect.js'
import { failureOf } from './failure.js'
import { channelOf, MessageReader } from './messages.js'
import { isFull, type NotifyQueue, queueIsFull } from './notify-queue.js'
import { statements, textArray } from './statements.js'

const LISTEN = 'LISTEN'
const ABOUT = { command: LISTEN }

/** A connection that lasts for so long is a good one. */
const STEADY_MS = 1_000

/** Carries messages to one client: a connection that listens on a channel of its own, opened when first needed and again when it breaks. */
export class PostgresInbox implements Inbox {
  #connection: ListeningConnection | undefined
  #process: string | undefined
  #opening: Promise<void> | undefined
  /** How many connections in turn could not be had, or ended early. */
  #failures = 0
  #openedAt = -Infinity
  #reopening: TimerHandle | undefined
  #doubting = false
  #toldOfStrangers = false
  #closed = false

  constructor(
    private readonly connector: Connector<ListeningConnection>,
    private readonly dialect: PostgresDialect,
    private readonly queue: NotifyQueue,
    private readonly settings: StoreSettings,
    private readonly listener: InboxListener,
  ) {}

  get open(): boolean {
    return this.#connection !== undefined && !this.queue.full
  }

  async opened(): Promise<void> {
    if (!this.#connection) {
      this.settings.schedule.cancel(this.#reopening)
      this.#reopening = undefined
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      await this.#opening
    }
    if (this.queue.full) throw queueIsFull()
  }

  doubt(): void {
    const connection = this.#connection
    if (!connection || this.#doubting) return
    this.#doubting = true
    this.connector
      .read(connection, question(statements.process, undefined, LISTEN), readProcess)
      .then(
        ({ pid, full }) => {
          if (pid === this.#process) return this.queue.found(full)
          this.dialect.foundPooler()
          connection.destroy()
        },
        () => connection.destroy(),
      )
      .finally(() => {
        this.#doubting = false
      })
  }

  close(): void {
    this.#closed = true
    this.settings.schedule.cancel(this.#reopening)
    const connection = this.#connection
    this.#connection = undefined
    connection?.end()
  }

  async #open(): Promise<void> {
    let connection: ListeningConnection | undefined
    try {
      if (this.#closed) throw closedError(ABOUT)
      if (this.dialect.pooled) throw poolerError()
      connection = await this.connector.open()
      await this.#listen(connection)
    } catch (error) {
      connection?.end()
      const failure = failureOf(error, ABOUT)
      this.#failures += 1
      // Callers that rely on it wait for it, even until somebody gives another password.
      if (failure.transient || this.#openedAt > -Infinity) this.#reopen()
      throw failure
    }
  }

  async #listen(connection: ListeningConnection): Promise<void> {
    const { clientId } = this.settings
    const { connector } = this
    const asked = (statement: Statement, values: string[] = []) => question(statement, values, LISTEN)
    if (this.dialect.pooled) throw poolerError()
    const reader = new MessageReader()
    connection.onNotification((payload) => this.#heard(reader, payload))
    const channel = channelOf(clientId).replaceAll('"', '""')
    await connector.ask(connection, asked({ name: 'holdfast_listen', text: `LISTEN "${channel}"` }))
    const present = await connector.read(connection, asked(statements.present, [clientId]), (rows) =>
      oneOf(only(rows), 'present', 'true', 'false'),
    )
    if (present === 'false') {
      // The server has not noticed yet that the earlier connection broke. A user without the right to end it waits until it does.
      await connector
        .ask(connection, asked(statements.endListening, [textArray([clientId])]))
        .catch(() => undefined)
      await connector.ask(connection, asked(statements.presentAtLast, [clientId]))
    }
    const { pid, full } = await connector.read(connection, asked(statements.process), readProcess)
    if (this.#closed || !connection.open) throw closedError(ABOUT)
    this.#process = pid
    this.#connection = connection
    connection.onEnd(() => this.#broken(connection))
    // The first time, nobody has relied on it before.
    if (this.#failures > 0) this.listener.missed()
    this.#openedAt = this.settings.schedule.clock.now()
    this.queue.found(full)
  }

  #broken(connection: ListeningConnection): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    // A connection that ends at once counts as a failure.
    const steady = this.settings.schedule.clock.now() >= this.#openedAt + STEADY_MS
    this.#failures = steady ? 1 : this.#failures + 1
    this.#reopen()
    this.listener.missed()
  }

  #reopen(): void {
    const { schedule } = this.settings
    if (this.#closed || this.dialect.pooled || this.#reopening) return
    this.#reopening = schedule.at(schedule.clock.now() + retryPauseMs(this.#failures), () => {
      this.#reopening = undefined
      // The waiters know of the failure, and another attempt follows.
      this.opened().catch(() => undefined)
    })
  }

  #heard(reader: MessageReader, payload: string): void {
    try {
      const message = reader.read(payload)
      if (message) this.listener.message(message)
    } catch (cause) {
      const error = cause instanceof UnexpectedError ? notOfHoldfast(cause) : cause
      if (error instanceof StoreError && error.reason === 'unreadable') {
        // Anybody may send as many as they like.
        if (this.#toldOfStrangers) return
        this.#toldOfStrangers = true
      }
      this.settings.onError(error)
    }
  }
}

function notOfHoldfast(cause: UnexpectedError): StoreError {
  const hint = 'Another program has sent it: Holdfast ignores it, and later ones without a word.'
  return new StoreError('unreadable', 'LISTEN', { cause, transient: false, hint })
}

function readProcess(rows: readonly SqlRow[]): { readonly pid: string; readonly full: boolean } {
  return { pid: aText(only(rows)['pid'], 'pid'), full: isFull(rows) }
}
