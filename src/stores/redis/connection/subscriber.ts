import { retryPauseMs } from '../../../base/time/back-off.js'
import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import type { StandaloneClient } from './client.js'
import type { Connection } from './connection.js'
import { isRefusal } from './failure.js'
import type { LinkListener } from './link.js'

/** After so long without news it is not certain that they still come. */
const SILENCE_MS = 1_000

/** The commands of subscriptions: plain ones, or those per shard of a cluster. */
export type Dialect = 'plain' | 'sharded'

/**
 * The subscriptions of one connection. If the connection breaks while a channel is subscribed, it opens again, renews the
 * subscriptions, and tells the subscribers that they may have missed a message (rule W2).
 */
export class Subscriber {
  readonly #channels = new Set<string>()
  #failures = 0
  #reopening: TimerHandle | undefined
  /** Callers that wait for the check of a new connection. */
  readonly #onChecked: Array<() => void> = []
  #heardAt = -Infinity
  #verifying = false
  readonly #dialect: Dialect
  /** Whether commands travel on it too. */
  readonly #carriesCommands: boolean
  readonly #schedule: Schedule
  readonly #listener: LinkListener

  constructor(
    readonly connection: Connection<StandaloneClient>,
    dialect: Dialect,
    carriesCommands: boolean,
    schedule: Schedule,
    listener: LinkListener,
  ) {
    this.#dialect = dialect
    this.#carriesCommands = carriesCommands
    this.#schedule = schedule
    this.#listener = listener
  }

  async subscribe(channel: string): Promise<void> {
    await this.#ask(channel)
    this.#channels.add(channel)
  }

  async #ask(channel: string): Promise<void> {
    const about = { command: this.#dialect === 'plain' ? 'SUBSCRIBE' : 'SSUBSCRIBE' }
    await this.connection.inTime(about, () => {
      const { client } = this.connection
      const send = (): Promise<unknown> =>
        this.#dialect === 'plain' ? client.subscribe(channel) : client.ssubscribe(channel)
      // ioredis lets a subscription overtake the check that it makes of a new connection; a subscribed RESP2 connection then refuses the
      // check. (A connection that also carries commands refuses none, and must keep the order.)
      const early = !this.#carriesCommands && client.status === 'connect'
      return early ? new Promise<void>((resolve) => this.#onChecked.push(resolve)).then(send) : send()
    })
    this.#heardAt = this.#schedule.clock.now()
  }

  /** A message has come. */
  heard(channel: string, text: string): void {
    this.#heardAt = this.#schedule.clock.now()
    this.#listener.message(channel, text)
  }

  /**
   * Call it whenever the client sends a command. A dead connection looks like one that has nothing to report, so this pings a silent one.
   * If no answer comes, it drops the connection and tells the waiters that they may have missed a message.
   * @param silentMs the silence after which it pings
   */
  verify(silentMs = SILENCE_MS): void {
    if (this.#channels.size === 0 || this.#verifying || !this.connection.ready) return
    if (this.#schedule.clock.now() - this.#heardAt < silentMs) return
    this.#verifying = true
    const over = (): void => {
      this.#heardAt = this.#schedule.clock.now()
      this.#verifying = false
    }
    this.connection.send({ command: 'PING' }, 'ping').then(over, over)
  }

  /** Takes over another one's subscriptions; tells the subscribers when they are in force. */
  adopt(channels: Iterable<string>): void {
    for (const channel of channels) this.#channels.add(channel)
    if (this.#channels.size === 0) return
    if (this.connection.ready) this.resume()
    else void this.connection.open()
  }

  /** Lets go of its channels, for another subscriber. */
  giveUp(): readonly string[] {
    const channels = [...this.#channels]
    this.#channels.clear()
    this.#schedule.cancel(this.#reopening)
    this.#reopening = undefined
    return channels
  }

  /** ioredis has checked the connection, or the connection has ended: from now on the client takes commands. */
  #checked(): void {
    for (const goOn of this.#onChecked.splice(0)) goOn()
  }

  unsubscribe(channel: string): void {
    const { client } = this.connection
    if (!this.#channels.delete(channel) || !this.connection.ready) return
    const done = this.#dialect === 'plain' ? client.unsubscribe(channel) : client.sunsubscribe(channel)
    // A connection that breaks over it has no subscriptions left either.
    done.catch(() => undefined)
  }

  /** Call it when the connection is ready. Each time after the first, it subscribes again. */
  resume(): void {
    this.#checked()
    if (this.#channels.size === 0) return
    const channels = [...this.#channels]
    // A channel that its watchers leave meanwhile stays left.
    Promise.all(channels.map((channel) => this.#renew(channel))).then(
      () => {
        this.#failures = 0
        this.#listener.resumed(channels)
      },
      (error: unknown) => {
        this.#listener.error(error)
        // A waiter cannot tell half a subscription from a whole one: begin again on a new connection.
        void this.connection.drop()
      },
    )
  }

  /** Keeps the connection when the server refuses a channel for good: the next connection would fare no better, and this one may carry commands. */
  async #renew(channel: string): Promise<void> {
    try {
      await this.#ask(channel)
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (this.#channels.delete(channel)) this.#listener.refused(channel, error)
    }
  }

  /** Call it when the connection breaks: it opens the connection again, at growing intervals. */
  reopen(): void {
    this.#checked()
    if (this.#channels.size === 0 || this.#reopening) return
    this.#failures += 1
    this.#reopening = this.#schedule.at(this.#schedule.clock.now() + retryPauseMs(this.#failures), () => {
      this.#reopening = undefined
      if (this.#channels.size > 0) void this.connection.open()
    })
  }

  close(): void {
    this.#checked()
    this.#channels.clear()
    this.#schedule.cancel(this.#reopening)
    this.connection.close()
  }
}
