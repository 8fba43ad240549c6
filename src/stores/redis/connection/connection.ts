import { type Linked, LinkedSet } from '../../../base/collections/linked-set.js'
import { isError } from '../../../base/errors/is-error.js'
import { retryPauseMs } from '../../../base/time/back-off.js'
import { Alarm, type Schedule } from '../../../base/time/schedule.js'
import type { About } from '../../../port/failure.js'
import type { Connectable } from './client.js'
import { failureOf, isReply, leadsElsewhere, readAnswer, refusesDatabase, timeoutOf } from './failure.js'
import { hangUp, isOpen } from './hang-up.js'
import type { Argument, Command } from './link.js'
import { Batch, streamOf } from './stream.js'

const CLOSED = 'Connection is closed.'

/** How long a command waits for the next try to connect. Then it rejects with the last failure, and the core may send it again. */
const PATIENCE_MS = 50

/** A command without an answer; it rings when its time is up. */
class Pending extends Alarm implements Linked<Pending> {
  before: Pending | undefined
  behind: Pending | undefined

  constructor(
    readonly command: Pick<Command<never, unknown>, 'about'>,
    readonly reject: (error: unknown) => void,
    readonly ring: () => void,
  ) {
    super()
  }
}

/** Reports of a connection to its maker. */
export interface ConnectionListener {
  ready?(): void
  broken?(): void
  /** The server that answers is no longer the right one, so the connection ends. */
  misled?(): void
  /** Listeners for other events of the client library, by their names. */
  readonly events?: Readonly<Record<string, (...told: unknown[]) => void>>
}

/** The server, or one node of a cluster. Only its own answers show that it lives. */
export interface Peer {
  /** How many answers have come from it. */
  heard: number
  /** Breaks the connection to it. */
  drop(): void
}

/**
 * One connection (or one cluster's set of them) that Holdfast has made. Only a command opens it, also after it broke. It settles every
 * command in time, whatever the client library waits for, and drops a silent connection. While connections fail, it tries again at
 * growing intervals, however many commands wait.
 */
export class Connection<Client extends Connectable> {
  /** How often it has broken. */
  breaks = 0
  #client: Client
  #closed = false
  #dropping: Promise<void> | undefined
  /** To await before the next try to connect. */
  #pause: Promise<void> | undefined
  #notBefore = -Infinity
  /** How many connections in a row have ended without an answer to anything. */
  #failures = 0
  #lastError: unknown
  /** How many answers have come, and how many of them before the last break. */
  #heard = 0
  #heardBefore = 0
  readonly #server: Peer = { heard: 0, drop: () => void this.drop() }
  readonly #batch = new Batch(() => this.#client)
  /** The commands without an answer. */
  readonly #pending = new LinkedSet<Pending>()
  readonly #schedule: Schedule
  readonly #commandTimeoutMs: number
  readonly #listener: ConnectionListener

  constructor(
    private readonly make: () => Client,
    schedule: Schedule,
    commandTimeoutMs: number,
    listener: ConnectionListener = {},
  ) {
    this.#schedule = schedule
    this.#commandTimeoutMs = commandTimeoutMs
    this.#listener = listener
    this.#client = this.#made()
  }

  get client(): Client {
    return this.#client
  }

  get ready(): boolean {
    return this.#client.status === 'ready'
  }

  /**
   * Opens the connection if it is not open; commands sent meanwhile wait for it. Returns what the caller must await before it can send:
   * the end of the previous connection, or of a pause after failed ones.
   */
  open(): Promise<void> | undefined {
    if (this.#dropping) return this.#dropping
    const { status } = this.#client
    if (this.#closed || (status !== 'wait' && status !== 'end' && status !== 'close')) return undefined
    if (this.#schedule.clock.now() < this.#notBefore) {
      this.#pause ??= new Promise((resolve) => {
        this.#schedule.at(this.#notBefore, () => {
          this.#pause = undefined
          void this.open()
          resolve()
        })
      })
      return this.#pause
    }
    this.#client.connect().catch((error: unknown) => {
      this.#lastError ??= error
    })
    return undefined
  }

  send(about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.inTime(about, () => this.#client.call(command, ...args))
  }

  /** The answer to `start`; a `StoreError` if that fails or takes too long. */
  inTime<Reply>(about: About, start: () => Promise<Reply>, peer?: Peer): Promise<Reply> {
    return this.execute({ about, start, read: (reply: Reply) => reply }, peer)
  }

  /** The result that the command reads from its answer; a `StoreError` if that fails or takes too long. */
  execute<Reply, Result>(command: Command<Reply, Result>, peer: Peer = this.#server): Promise<Result> {
    this.#batch.add()
    return new Promise((resolve, reject) => {
      const timeoutMs = Math.min(command.withinMs ?? Infinity, this.#commandTimeoutMs)
      const heardBefore = peer.heard
      const answerBy = this.#schedule.clock.now() + timeoutMs
      let sentOn: number | undefined
      const pending = new Pending(command, reject, () => {
        // Nothing has come for all that time: the peer may be gone. A new connection shows it.
        if (sentOn === this.breaks && peer.heard === heardBefore) peer.drop()
        if (sentOn === undefined) this.#failed(pending, new Error(CLOSED))
        else if (!this.#over(pending)) reject(timeoutOf(command.about, timeoutMs))
      })
      const answered = (reply: Reply): void => {
        this.#hear(peer)
        if (this.#over(pending)) return
        try {
          resolve(readAnswer(command, reply))
        } catch (error) {
          reject(error)
        }
      }
      const refused = (error: unknown): void => {
        if (leadsElsewhere(error)) {
          this.#lastError = error
          this.#listener.misled?.()
        } else if (isReply(error)) this.#hear(peer)
        const again = this.#pending.has(pending) ? command.retry?.(error) : undefined
        if (again) again.then(answered, (failure) => this.#failed(pending, failure))
        else this.#failed(pending, error)
      }
      const begin = (): void => {
        if (!this.#pending.has(pending)) return
        const first = this.open()
        if (first) {
          const patientUntil = this.#schedule.clock.now() + PATIENCE_MS
          if (first === this.#pause) this.#schedule.move(pending, Math.min(patientUntil, answerBy))
          first.then(begin)
          return
        }
        sentOn = this.breaks
        if (pending.dueAt < answerBy) this.#schedule.move(pending, answerBy)
        try {
          command.start().then(answered, refused)
        } catch (error) {
          this.#failed(pending, error)
        }
      }
      this.#schedule.set(pending, answerBy)
      this.#pending.add(pending)
      if (this.#closed) this.#failed(pending, new Error(CLOSED))
      else begin()
    })
  }

  /** Marks the command as settled. Returns whether it was settled before. */
  #over(pending: Pending): boolean {
    this.#schedule.cancel(pending)
    return !this.#pending.delete(pending)
  }

  #failed(pending: Pending, error: unknown): void {
    if (!this.#over(pending)) pending.reject(failureOf(this.#explain(error), pending.command.about))
  }

  /** Breaks the connection. Resolves when the next command can open another one. */
  drop(): Promise<void> {
    this.#dropping ??= this.#hangUp().finally(() => {
      this.#dropping = undefined
    })
    return this.#dropping
  }

  close(): void {
    this.#closed = true
    if (isOpen(this.#client)) this.#client.disconnect()
    for (const pending of [...this.#pending]) this.#failed(pending, new Error(CLOSED))
  }

  #hear(peer: Peer): void {
    peer.heard += 1
    this.#heard += 1
    this.#failures = 0
  }

  async #hangUp(): Promise<void> {
    if (await hangUp(this.#client, this.#schedule)) return
    const given = this.#client
    this.#client = this.#made()
    this.#ended()
    // No command needs it if it still connects.
    given.on('connect', () => given.disconnect())
  }

  #made(): Client {
    const client = this.make()
    const on = (event: string, listener: (...told: unknown[]) => void): void => {
      client.on(event, (...told) => {
        if (this.#client === client) listener(...told)
      })
    }
    on('ready', () => {
      if (this.#dropping) return
      this.#lastError = undefined
      this.#listener.ready?.()
    })
    // Not 'close': a client whose connector found no server does not emit it.
    on('end', () => this.#ended())
    on('error', (error) => {
      this.#lastError = error
      // It can no longer match answers to commands. (Versions that do not know of a subscription ended by the server say so.)
      const confused = isError(error) && error.message.startsWith('Command queue state error')
      // The client library would go on in database 0, where the same names are other locks.
      if (confused || refusesDatabase(error)) void this.drop()
    })
    // Holdfast's sockets keep no process alive; awaited calls do, see time/keep-alive.ts.
    on('connect', () => streamOf(client)?.unref?.())
    for (const [event, listener] of Object.entries(this.#listener.events ?? {})) on(event, listener)
    return client
  }

  #ended(): void {
    this.breaks += 1
    if (this.#heard === this.#heardBefore) this.#failures += 1
    this.#heardBefore = this.#heard
    // Every command sees a try before its time is up.
    const longest = this.#commandTimeoutMs / 2
    if (this.#failures > 0)
      this.#notBefore = this.#schedule.clock.now() + Math.min(retryPauseMs(this.#failures), longest)
    this.#listener.broken?.()
  }

  /** Replaces "Connection is closed", which helps nobody, by the reason why it closed. */
  #explain(error: unknown): unknown {
    const connectionError = isError(error) && !isReply(error)
    return connectionError && this.#lastError !== undefined ? this.#lastError : error
  }
}
