import { StoreError } from '../../../base/errors/errors.js'
import { retryPauseMs } from '../../../base/time/back-off.js'
import type { Schedule } from '../../../base/time/schedule.js'
import type { StandaloneClient } from './client.js'
import { Connection } from './connection.js'
import { followCredentials } from './credentials.js'
import { isRefusal } from './failure.js'
import type { LinkListener } from './link.js'
import { connectionSettings } from './settings.js'
import { Subscriber } from './subscriber.js'

/** Which node serves which slot of a cluster. */
export interface SlotTable {
  /** The address of the primary that serves the channel's slot, if the client knows it. */
  addressFor(channel: string): string | undefined
  /** That primary, as the cluster itself says: a former one redirects commands, but would accept subscriptions. */
  ask(channel: string): Promise<StandaloneClient>
  /** That primary, by the best knowledge of the client. */
  primaryFor(channel: string): Promise<StandaloneClient>
}

/**
 * The subscriptions of a cluster's client: one subscribed connection for each node that has waiters. They follow their slots: when a
 * node's connection breaks, or the node gives a slot away or is no longer a primary, the client subscribes at the new primary, and tells
 * the waiters that they may have missed a message.
 */
export class ShardSubscriptions {
  readonly #subscribers = new Map<string, Subscriber>()
  /** The address at which each channel is subscribed. */
  readonly #homes = new Map<string, string>()
  /** The watched channels, subscribed at the moment or not. */
  readonly #wanted = new Set<string>()
  readonly #table: SlotTable
  readonly #schedule: Schedule
  readonly #commandTimeoutMs: number
  readonly #listener: LinkListener

  constructor(table: SlotTable, schedule: Schedule, commandTimeoutMs: number, listener: LinkListener) {
    this.#table = table
    this.#schedule = schedule
    this.#commandTimeoutMs = commandTimeoutMs
    this.#listener = listener
  }

  async subscribe(channel: string): Promise<void> {
    await this.#subscribeAt(await this.#table.primaryFor(channel), channel)
    this.#wanted.add(channel)
  }

  unsubscribe(channel: string): void {
    this.#wanted.delete(channel)
    this.#leave(channel)
  }

  /** The table of slots is new: subscriptions move to the nodes that serve them now. */
  follow(): void {
    for (const [channel, home] of this.#homes) {
      const address = this.#table.addressFor(channel)
      if (address === undefined || address === home) continue
      this.#leave(channel)
      this.#restore(channel, 1)
    }
  }

  /** Moves a node's channels: it has gone, or has given slots away. */
  evacuate(address: string): void {
    this.#subscribers.get(address)?.close()
    this.#subscribers.delete(address)
    for (const [channel, home] of this.#homes) if (home === address) this.#restore(channel, 1)
  }

  /** See {@link Subscriber.verify}. */
  verify(silentMs?: number): void {
    for (const subscriber of this.#subscribers.values()) subscriber.verify(silentMs)
  }

  close(): void {
    for (const subscriber of this.#subscribers.values()) subscriber.close()
    this.#subscribers.clear()
    this.#homes.clear()
    this.#wanted.clear()
  }

  async #subscribeAt(primary: StandaloneClient, channel: string): Promise<void> {
    const address = addressOf(primary)
    const subscriber = this.#subscriberFor(primary)
    await subscriber.subscribe(channel)
    this.#homes.set(channel, address)
  }

  #leave(channel: string): void {
    const home = this.#homes.get(channel)
    if (home !== undefined) this.#subscribers.get(home)?.unsubscribe(channel)
    this.#homes.delete(channel)
  }

  /**
   * Subscribes again wherever the channel lives now, until that succeeds or the last listener leaves. Meanwhile a waiter asks again when the
   * lease it saw ends.
   */
  #restore(channel: string, failures: number): void {
    this.#homes.delete(channel)
    this.#schedule.at(this.#schedule.clock.now() + retryPauseMs(failures), () => {
      if (!this.#wanted.has(channel) || this.#homes.has(channel)) return
      this.#subscribeAnew(channel).then(
        () => this.#listener.resumed([channel]),
        (error: unknown) => {
          if (!isRefusal(error)) this.#restore(channel, failures + 1)
          else if (this.#wanted.delete(channel)) this.#listener.refused(channel, error)
        },
      )
    })
  }

  async #subscribeAnew(channel: string): Promise<void> {
    await this.#subscribeAt(await this.#table.ask(channel), channel)
    if (!this.#wanted.has(channel)) this.#leave(channel)
    else if (this.#homes.get(channel) !== this.#table.addressFor(channel)) {
      this.#leave(channel)
      throw new StoreError('not-ready', 'SSUBSCRIBE', { transient: true })
    }
  }

  #subscriberFor(primary: StandaloneClient): Subscriber {
    const address = addressOf(primary)
    const known = this.#subscribers.get(address)
    if (known) return known
    const leave = (): void => {
      if (this.#subscribers.get(address) === subscriber) this.evacuate(address)
    }
    // A cluster has one database, whatever its client's options say.
    const settings = { ...connectionSettings(this.#commandTimeoutMs, 'news', primary.options), db: 0 }
    const connection = new Connection(
      () => {
        const client = primary.duplicate(settings)
        followCredentials(client.options, primary)
        return client
      },
      this.#schedule,
      this.#commandTimeoutMs,
      {
        ready: () => subscriber.resume(),
        broken: leave,
        events: {
          smessage: (channel, text) => subscriber.heard(String(channel), String(text)),
          // ioredis says so when the server ends subscriptions because their slots have moved away.
          moved: leave,
        },
      },
    )
    const subscriber = new Subscriber(connection, 'sharded', false, this.#schedule, this.#listener)
    this.#subscribers.set(address, subscriber)
    return subscriber
  }
}

export function addressOf({ options: { host, port } }: StandaloneClient): string {
  return `${host}:${port}`
}
