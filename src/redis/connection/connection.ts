import { retryPauseMs } from '../../time/back-off.js'
import type { Schedule } from '../../time/schedule.js'
import type { Connectable } from './client.js'
import { failureOf, isReply, leadsElsewhere, readAnswer, refusesDatabase, timeoutOf } from './failure.js'
import { hangUp, isOpen } from './hang-up.js'
import type { About, Argument, Order } from './link.js'
import { Batch, streamOf } from './stream.js'

const CLOSED = 'Connection is closed.'

/** How long a command waits for the next try to connect. Then it hears what the last one came to, and may be sent again. */
const PATIENCE_MS = 50

/** What a connection reports to its maker. */
export interface ConnectionListener {
  ready?(): void
  broken?(): void
  /** What answers is not the server to talk to any more, and the connection will end for that. */
  misled?(): void
  /** What else the client library tells, by the names of its events. */
  readonly events?: Readonly<Record<string, (...told: unknown[]) => void>>
}

/** The server, or one node of a cluster, as the source of answers: each is judged by its own. */
export interface Peer {
  /** How many answers have come from it. */
  heard: number
  /** Breaks the connection to it. */
  drop(): void
}

/**
 * One connection (or one cluster's set of them) that Holdfast has made: opened when first used, opened anew when used after it
 * broke, never by itself. Commands are answered or rejected in time, whatever the client library waits for; a connection that has
 * gone silent is dropped. While connections come to nothing, they are tried at growing intervals, however many commands wait.
 */
export class Connection<Client extends Connectable> {
  /** How often it has broken. */
  breaks = 0
  #client: Client
  #closed = false
  #dropping: Promise<void> | undefined
  /** What is to be waited for before the next try to connect. */
  #pause: Promise<void> | undefined
  #notBefore = Number.NEGATIVE_INFINITY
  /** How many connections in a row have ended without an answer to anything. */
  #failures = 0
  #lastError: unknown
  /** How many answers have come, and how many of them before the last break. */
  #heard = 0
  #heardBefore = 0
  readonly #server: Peer = { heard: 0, drop: () => void this.drop() }
  readonly #batch = new Batch(() => this.#client)
  /** How to reject what has no answer yet. */
  readonly #pending = new Set<(error: unknown) => void>()

  constructor(
    private readonly make: () => Client,
    private readonly schedule: Schedule,
    private readonly commandTimeoutMs: number,
    private readonly listener: ConnectionListener = {},
  ) {
    this.#client = this.#made()
  }

  get client(): Client {
    return this.#client
  }

  get ready(): boolean {
    return this.#client.status === 'ready'
  }

  /**
   * Opens the connection if it is not open; what is sent meanwhile waits for it. Returns what is to be waited for before
   * anything can be sent: the end of the connection before, or of a pause after others that came to nothing.
   */
  open(): Promise<void> | undefined {
    if (this.#dropping) return this.#dropping
    const { status } = this.#client
    if (this.#closed || (status !== 'wait' && status !== 'end' && status !== 'close')) return undefined
    if (this.schedule.clock.now() < this.#notBefore) {
      this.#pause ??= new Promise((resolve) => {
        this.schedule.at(this.#notBefore, () => {
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

  /** What `start` answers; a `StoreError` when that fails or is not there in time. */
  inTime<Reply>(about: About, start: () => Promise<Reply>, peer?: Peer): Promise<Reply> {
    return this.carryOut({ about, start, read: (reply: Reply) => reply }, peer)
  }

  /** What is read out of an order's answer; a `StoreError` when it fails or is not there in time. */
  carryOut<Reply, Result>(order: Order<Reply, Result>, peer: Peer = this.#server): Promise<Result> {
    this.#batch.add()
    return new Promise((resolve, reject) => {
      const { about, withinMs = Number.POSITIVE_INFINITY } = order
      const timeoutMs = Math.min(withinMs, this.commandTimeoutMs)
      const heardBefore = peer.heard
      const answerBy = this.schedule.clock.now() + timeoutMs
      let sentOn: number | undefined
      const over = (): boolean => {
        this.schedule.cancel(deadline)
        return !this.#pending.delete(failed)
      }
      const failed = (error: unknown): void => {
        if (!over()) reject(failureOf(this.#explain(error), about))
      }
      const deadline = this.schedule.at(answerBy, () => {
        // Nothing was heard for as long: the peer may be gone without a word. A new connection finds out.
        if (sentOn === this.breaks && peer.heard === heardBefore) peer.drop()
        if (sentOn === undefined) failed(new Error(CLOSED))
        else if (!over()) reject(timeoutOf(about, timeoutMs))
      })
      const answered = (reply: Reply): void => {
        this.#hear(peer)
        if (over()) return
        try {
          resolve(readAnswer(order, reply))
        } catch (error) {
          reject(error)
        }
      }
      const retried = (error: unknown): void => {
        if (leadsElsewhere(error)) {
          this.#lastError = error
          this.listener.misled?.()
        } else if (isReply(error)) this.#hear(peer)
        const again = this.#pending.has(failed) ? order.retry?.(error) : undefined
        if (again) again.then(answered, failed)
        else failed(error)
      }
      const begin = (): void => {
        if (!this.#pending.has(failed)) return
        const first = this.open()
        if (first) {
          const patientUntil = this.schedule.clock.now() + PATIENCE_MS
          if (first === this.#pause) this.schedule.move(deadline, Math.min(patientUntil, answerBy))
          first.then(begin)
          return
        }
        sentOn = this.breaks
        if (deadline.dueAt < answerBy) this.schedule.move(deadline, answerBy)
        attempt(order.start, failed)?.then(answered, retried)
      }
      this.#pending.add(failed)
      if (this.#closed) failed(new Error(CLOSED))
      else begin()
    })
  }

  /** Breaks the connection. Resolves when there is another one to be opened. */
  drop(): Promise<void> {
    this.#dropping ??= this.#hangUp().finally(() => {
      this.#dropping = undefined
    })
    return this.#dropping
  }

  close(): void {
    this.#closed = true
    if (isOpen(this.#client)) this.#client.disconnect()
    for (const fail of this.#pending) fail(new Error(CLOSED))
  }

  #hear(peer: Peer): void {
    peer.heard += 1
    this.#heard += 1
    this.#failures = 0
  }

  async #hangUp(): Promise<void> {
    if (await hangUp(this.#client, this.schedule)) return
    const given = this.#client
    this.#client = this.#made()
    this.#ended()
    // Should it get as far as a connection all the same, nobody wants that any more.
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
      this.listener.ready?.()
    })
    // Not 'close', which a client does not say whose connector found nobody to connect to.
    on('end', () => this.#ended())
    on('error', (error) => {
      this.#lastError = error
      // It cannot tell any more which answer is whose. (So say versions that do not know of a subscription ended by the server.)
      const confused = error instanceof Error && error.message.startsWith('Command queue state error')
      // The client library would go on in database 0, where the same names are other locks.
      if (confused || refusesDatabase(error)) void this.drop()
    })
    on('connect', () => letProcessEnd(client))
    for (const [event, listener] of Object.entries(this.listener.events ?? {})) on(event, listener)
    return client
  }

  #ended(): void {
    this.breaks += 1
    if (this.#heard === this.#heardBefore) this.#failures += 1
    this.#heardBefore = this.#heard
    // Every command sees a try before its time is up.
    const longest = this.commandTimeoutMs / 2
    if (this.#failures > 0)
      this.#notBefore = this.schedule.clock.now() + Math.min(retryPauseMs(this.#failures), longest)
    this.listener.broken?.()
  }

  /** "Connection is closed" is true but does not help: why it is closed does. */
  #explain(error: unknown): unknown {
    const connectionError = error instanceof Error && !isReply(error)
    return connectionError && this.#lastError !== undefined ? this.#lastError : error
  }
}

/** Sockets of Holdfast keep no process alive; who awaits something does, see core/keep-alive.ts. */
export function letProcessEnd(client: object): void {
  streamOf(client)?.unref?.()
}

/** What a client throws at once it might as well have rejected with. */
function attempt<Reply>(
  start: () => Promise<Reply>,
  failed: (error: unknown) => void,
): Promise<Reply> | undefined {
  try {
    return start()
  } catch (error) {
    failed(error)
    return undefined
  }
}
