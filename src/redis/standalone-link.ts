import type { Schedule } from '../core/schedule.js'
import type { StandaloneClient } from './client.js'
import { Connection } from './connection.js'
import type { About, Argument, Link, LinkListener, NodeLink, Order, Send } from './link.js'
import { connectionSettings } from './settings.js'
import { streamOf } from './stream.js'
import { Subscriber } from './subscriber.js'

/**
 * One server, or one Sentinel group. With RESP3 one connection carries commands and subscriptions; with RESP2 a subscribed
 * connection takes no other commands, so there are two (rule C2).
 */
export class StandaloneLink implements Link {
  readonly publishCommand = 'PUBLISH'
  readonly countCommand = 'NUMSUB'
  readonly subscribesInOrder: boolean
  readonly #commands: Connection<StandaloneClient>
  readonly #subscriber: Subscriber
  readonly #call: Send = (command, ...args) => this.#commands.client.call(command, ...args)

  constructor(
    pattern: StandaloneClient,
    schedule: Schedule,
    commandTimeoutMs: number,
    listener: LinkListener,
  ) {
    this.subscribesInOrder = 'protocol' in pattern.options && pattern.options.protocol === 3
    const connect = (role: 'commands' | 'news', carriesNews: boolean): Connection<StandaloneClient> =>
      new Connection(
        () => pattern.duplicate(connectionSettings(commandTimeoutMs, role, pattern.options)),
        schedule,
        commandTimeoutMs,
        {
          ready: () => carriesNews && this.#subscriber.resume(),
          broken: () => carriesNews && this.#subscriber.reopen(),
          events: { message: (channel, text) => listener.message(String(channel), String(text)) },
        },
      )
    this.#commands = connect('commands', this.subscribesInOrder)
    const news = this.subscribesInOrder ? this.#commands : connect('news', true)
    this.#subscriber = new Subscriber(news, 'plain', this.subscribesInOrder, schedule, listener)
  }

  get breaks(): number {
    return this.#commands.breaks
  }

  send(_key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.#commands.send(about, command, ...args)
  }

  carryOut<Result>(_key: string, order: (send: Send) => Order<unknown, Result>): Promise<Result> {
    return this.#commands.carryOut(order(this.#call))
  }

  together<Result>(body: () => Result): Result {
    return corked([this.#commands.client], body)
  }

  subscribe(channel: string): Promise<void> {
    return this.#subscriber.subscribe(channel)
  }

  unsubscribe(channel: string): void {
    this.#subscriber.unsubscribe(channel)
  }

  async nodes(): Promise<readonly NodeLink[]> {
    return [this.#commands]
  }

  async nodeOf(): Promise<NodeLink> {
    return this.#commands
  }

  async close(): Promise<void> {
    this.#subscriber.close()
    this.#commands.close()
  }
}

/** Whatever `body` writes to these connections leaves in one piece for each. */
export function corked<Result>(clients: readonly object[], body: () => Result): Result {
  const streams = clients.map(streamOf)
  for (const stream of streams) stream?.cork?.()
  try {
    return body()
  } finally {
    for (const stream of streams) stream?.uncork?.()
  }
}
