import type { About } from '../../../port/failure.js'
/** A message on a channel. */
export interface Announcement {
  readonly channel: string
  readonly text: string
}

/** A command to send, and how to read its answer. */
export interface Command<Reply, Result> {
  readonly about: About
  /** The announcement that it may make; absent if it makes none. */
  readonly announces?: Announcement | undefined
  /** How long the answer may take, if less than for other commands. */
  readonly withinMs?: number | undefined
  start(): Promise<Reply>
  read(reply: Reply): Result | Promise<Result>
  /** The command to send instead after that failure, if any, within the same deadline. */
  retry?(error: unknown): Promise<Reply> | undefined
}

/** An argument of a command; bytes go out unchanged. */
export type Argument = string | number | Buffer

/** Sends a command, and flattens lists among its arguments. */
export type Send = (command: string, ...args: Array<Argument | readonly Argument[]>) => Promise<unknown>

/** One connection's worth of nodes: sends commands, no keys to route by. */
export interface NodeLink {
  send(about: About, command: string, ...args: Argument[]): Promise<unknown>
}

/**
 * How commands and news travel between this client and the server, or the cluster. Every command settles within the command timeout, and
 * fails with a `StoreError`.
 */
export interface Link {
  /** `PUBLISH`, or `SPUBLISH` in a cluster: with Redisson's choice, or a mixed fleet would not wake each other. */
  readonly publishCommand: 'PUBLISH' | 'SPUBLISH'
  /** Whether subscriptions travel on the connection that carries commands. */
  readonly subscribesInOrder: boolean
  /** How often a connection has broken: if it changes during a command, the server may have got the command twice. */
  readonly breaks: number

  /** Sends a command to the node where `key` lives. */
  send(key: string, about: About, command: string, ...args: Argument[]): Promise<unknown>

  /** Executes a command on the node where `key` lives. */
  execute<Result>(key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result>

  /** Sends what `body` sends as one flight for each node. */
  together<Result>(body: () => Result): Result

  /** Resolves when the server confirms. */
  subscribe(channel: string): Promise<void>
  unsubscribe(channel: string): void

  /** Checks that messages still come, after one that should have come did not. */
  doubtNews(): void

  /** Every node that holds keys. */
  nodes(): Promise<readonly NodeLink[]>
  /** The node where `key` lives. */
  nodeOf(key: string): Promise<NodeLink>
  /** The node that the slot of `key` is moving to, if it is and that node has the key. Asks, and so learns if it has moved. */
  destinationOf(key: string): Promise<NodeLink | undefined>

  /** Breaks the connections for commands. The next ones may lead to another server. */
  reconnect(): Promise<void>
  close(): Promise<void>
}

/** What carries renewals: a link, or what waits for replicas beside. */
export type Renewing = Pick<Link, 'execute' | 'together'>

/** Reports of a link. */
export interface LinkListener {
  message(channel: string, text: string): void
  /** The subscriptions are in force again after an interruption; the messages in between are lost. */
  resumed(channels: Iterable<string>): void
  /** A subscription ended, because after an interruption the server no longer allows it to the user. */
  refused(channel: string, error: unknown): void
  /** A failure that no command reports. */
  error(error: unknown): void
}
