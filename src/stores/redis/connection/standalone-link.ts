import type { Schedule } from '../../../base/time/schedule.js'
import type { About } from '../../../port/failure.js'
import type { StandaloneClient } from './client.js'
import { Connection, type ConnectionListener } from './connection.js'
import { followCredentials } from './credentials.js'
import type { Argument, Command, Link, LinkListener, NodeLink, Send } from './link.js'
import { connectionSettings } from './settings.js'
import { streamOf } from './stream.js'
import { Subscriber } from './subscriber.js'

/**
 * One server, or one Sentinel group. With RESP3 one connection carries commands and subscriptions; with RESP2 a subscribed
 * connection takes no other commands, so there are two (rule C2). The server decides, on each connection: without HELLO
 * the link uses RESP2, whatever the client's options say.
 */
export class StandaloneLink implements Link {
  readonly publishCommand = 'PUBLISH'
  readonly #commands: Connection<StandaloneClient>
  /** The subscriptions of a connection that carries commands too; undefined once the server turned out not to support that. */
  #together: Subscriber | undefined
  /** The subscriptions of a separate connection. */
  readonly #apart: Subscriber
  /** Whether the current connection surely carries both commands and messages. */
  #inOrder = false
  /** How many subscriptions wait to know that. */
  #undecided = 0
  readonly #call: Send = (command, ...args) => this.#commands.client.call(command, ...args)

  constructor(
    pattern: StandaloneClient,
    schedule: Schedule,
    commandTimeoutMs: number,
    listener: LinkListener,
  ) {
    const connect = (
      role: 'commands' | 'news',
      subscriber: () => Subscriber | undefined,
      told: ConnectionListener,
    ): Connection<StandaloneClient> =>
      new Connection(
        () => {
          const client = pattern.duplicate(connectionSettings(commandTimeoutMs, role, pattern.options))
          followCredentials(client.options, pattern)
          return client
        },
        schedule,
        commandTimeoutMs,
        {
          ...told,
          events: { message: (channel, text) => subscriber()?.heard(String(channel), String(text)) },
        },
      )
    this.#commands = connect('commands', () => this.#together, {
      ready: () => this.#learnProtocol(),
      broken: () => {
        this.#inOrder = false
        this.#together?.reopen()
      },
      // Another server may publish the releases now.
      misled: () => void news.drop(),
    })
    const news = connect('news', () => this.#apart, {
      ready: () => this.#apart.resume(),
      broken: () => this.#apart.reopen(),
    })
    if ('protocol' in pattern.options && pattern.options.protocol === 3)
      this.#together = new Subscriber(this.#commands, 'plain', true, schedule, listener)
    this.#apart = new Subscriber(news, 'plain', false, schedule, listener)
  }

  get subscribesInOrder(): boolean {
    return this.#inOrder && this.#undecided === 0
  }

  get breaks(): number {
    return this.#commands.breaks
  }

  send(_key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    this.#apart.verify()
    return this.#commands.send(about, command, ...args)
  }

  execute<Result>(_key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    this.#apart.verify()
    return this.#commands.execute(make(this.#call))
  }

  together<Result>(body: () => Result): Result {
    return corked([this.#commands.client], body)
  }

  doubtNews(): void {
    this.#apart.verify(0)
  }

  async subscribe(channel: string): Promise<void> {
    // Between two connections the protocol of the next one is unknown until an answer comes.
    while (this.#together && !this.#inOrder) {
      this.#undecided += 1
      try {
        await this.#commands.send({ command: 'SUBSCRIBE' }, 'PING')
      } finally {
        this.#undecided -= 1
      }
    }
    await (this.#together ?? this.#apart).subscribe(channel)
  }

  unsubscribe(channel: string): void {
    this.#together?.unsubscribe(channel)
    this.#apart.unsubscribe(channel)
  }

  async nodes(): Promise<readonly NodeLink[]> {
    return [this.#commands]
  }

  async nodeOf(): Promise<NodeLink> {
    return this.#commands
  }

  async destinationOf(): Promise<undefined> {
    return undefined
  }

  reconnect(): Promise<void> {
    return this.#commands.drop()
  }

  async close(): Promise<void> {
    this.#together?.close()
    this.#apart.close()
    this.#commands.close()
  }

  /** On a ready connection the subscriptions go out before anything else. */
  #learnProtocol(): void {
    const together = this.#together
    if (!together) return
    if (speaksResp3(this.#commands.client)) {
      together.resume()
      this.#inOrder = true
    } else {
      // Permanently: moving them back for another server would save just one connection.
      this.#together = undefined
      this.#apart.adopt(together.giveUp())
    }
  }
}

/** Whether the server agreed to RESP3: clients that know it note it for each connection. */
function speaksResp3(client: object): boolean {
  const condition = 'condition' in client ? client.condition : undefined
  return (
    typeof condition === 'object' && condition !== null && 'protocol' in condition && condition.protocol === 3
  )
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
