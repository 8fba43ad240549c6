import type { Schedule } from '../core/schedule.js'
import type { Connectable } from './client.js'
import { failureOf, readAnswer, timeoutOf } from './failure.js'
import { hangUp, isOpen } from './hang-up.js'
import type { About, Argument, Order } from './link.js'
import { Batch, streamOf } from './stream.js'

/**
 * One connection (or one cluster's set of them) that Holdfast has made: opened when first used, opened anew when used after it
 * broke, never by itself. Commands are answered or rejected in time, and a connection that has gone silent is dropped.
 */
export class Connection<Client extends Connectable> {
  /** How often it has broken. */
  breaks = 0
  #closed = false
  #dropping: Promise<void> | undefined
  #lastError: unknown
  /** How many answers have come. */
  #heard = 0
  readonly #batch: Batch

  constructor(
    readonly client: Client,
    private readonly schedule: Schedule,
    private readonly commandTimeoutMs: number,
    hooks: { ready?: () => void; broken?: () => void } = {},
  ) {
    this.#batch = new Batch(client)
    client.on('ready', () => {
      this.#lastError = undefined
      hooks.ready?.()
    })
    client.on('close', () => {
      this.breaks += 1
      hooks.broken?.()
    })
    client.on('error', (error: unknown) => {
      this.#lastError = error
    })
    client.on('connect', () => letProcessEnd(client))
  }

  get ready(): boolean {
    return this.client.status === 'ready'
  }

  /** Opens the connection if it is not open. What is sent meanwhile waits for it. */
  open(): void {
    const { status } = this.client
    if (this.#closed || (status !== 'wait' && status !== 'end' && status !== 'close')) return
    this.client.connect().catch((error: unknown) => {
      this.#lastError ??= error
    })
  }

  send(about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.inTime(about, () => this.client.call(command, ...args))
  }

  /** What `start` answers; a `StoreError` when that fails or is not there in time. */
  inTime<Reply>(about: About, start: () => Promise<Reply>, drop?: () => Promise<void>): Promise<Reply> {
    return this.carryOut({ about, start, read: (reply: Reply) => reply }, drop)
  }

  /** What is read out of an order's answer; a `StoreError` when it fails or is not there in time. */
  carryOut<Reply, Result>(
    { about, start, read, retry }: Order<Reply, Result>,
    drop = () => this.drop(),
  ): Promise<Result> {
    this.open()
    this.#batch.add()
    return new Promise((resolve, reject) => {
      const heardBefore = this.#heard
      let late = false
      const deadline = this.schedule.at(this.schedule.clock.now() + this.commandTimeoutMs, () => {
        late = true
        const giveUp = (): void => reject(timeoutOf(about, this.commandTimeoutMs))
        // Nothing was heard for as long: the peer may be gone without a word. A new connection finds out, and whoever hears of
        // this failure finds the new one.
        if (this.#heard === heardBefore) drop().then(giveUp, giveUp)
        else giveUp()
      })
      const answered = (reply: Reply): void => {
        this.#heard += 1
        this.schedule.cancel(deadline)
        if (late) return
        try {
          resolve(readAnswer({ about, read }, reply))
        } catch (error) {
          reject(error)
        }
      }
      const failed = (error: unknown): void => {
        this.schedule.cancel(deadline)
        if (!late) reject(failureOf(this.#explain(error), about))
      }
      const retried = (error: unknown): void => {
        const again = late ? undefined : retry?.(error)
        if (again) again.then(answered, failed)
        else failed(error)
      }
      attempt(start, failed)?.then(answered, retried)
    })
  }

  /** Breaks the connection; what is under way on it rejects. */
  drop(): Promise<void> {
    this.#dropping ??= hangUp(this.client).finally(() => {
      this.#dropping = undefined
    })
    return this.#dropping
  }

  close(): void {
    this.#closed = true
    if (isOpen(this.client)) this.client.disconnect()
  }

  /** "Connection is closed" is true but does not help: why it is closed does. */
  #explain(error: unknown): unknown {
    const connectionError = error instanceof Error && error.name !== 'ReplyError'
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
