import { StoreError } from '../../errors/errors.js'
import { companionOf } from '../locks/companion-key.js'
import { wholeIn } from '../scripts/replies.js'
import { answerTo, readAnswer } from './failure.js'
import type { About, Argument, Command, Link, NodeLink, Send } from './link.js'

/** How long a mark is kept: it only has to be written. */
const MARK_KEPT_MS = 1_000

interface Acknowledged {
  readonly replicas: number
  readonly timeoutMs: number
}

/**
 * A link whose scripts are answered when so many replicas have what they wrote. On separate connections, since `WAIT` holds up
 * every later command. `WAIT` is about the connection's own last write, and a script need not have written anything: so a
 * mark is written before it. One `WAIT` is under way for each server; what comes meanwhile shares the next one.
 */
export class ReplicaWaitLink implements Link {
  readonly publishCommand: Link['publishCommand']
  readonly countCommand: Link['countCommand']
  /** For each server the wait under way, and the one after it. */
  readonly #underWay = new WeakMap<NodeLink, Promise<unknown>>()
  readonly #next = new WeakMap<NodeLink, Promise<void>>()

  constructor(
    private readonly link: Link,
    private readonly wanted: Acknowledged,
  ) {
    this.publishCommand = link.publishCommand
    this.countCommand = link.countCommand
  }

  get subscribesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  get breaks(): number {
    return this.link.breaks
  }

  async execute<Result>(key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    try {
      return await this.#executeOn(await this.link.nodeOf(key), key, make)
    } catch (error) {
      if (!hasMoved(error)) throw error
      // The client library follows only commands that it has routed itself, and so learns where the key lives now.
      await this.link.send(key, { command: 'PTTL' }, 'PTTL', key)
      return await this.#executeOn(await this.link.nodeOf(key), key, make)
    }
  }

  send(key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.link.send(key, about, command, ...args)
  }

  together<Result>(body: () => Result): Result {
    return this.link.together(body)
  }

  subscribe(channel: string): Promise<void> {
    return this.link.subscribe(channel)
  }

  unsubscribe(channel: string): void {
    this.link.unsubscribe(channel)
  }

  doubtNews(): void {
    this.link.doubtNews()
  }

  nodes(): Promise<readonly NodeLink[]> {
    return this.link.nodes()
  }

  nodeOf(key: string): Promise<NodeLink> {
    return this.link.nodeOf(key)
  }

  close(): Promise<void> {
    return this.link.close()
  }

  async #executeOn<Result>(
    node: NodeLink,
    key: string,
    make: (send: Send) => Command<unknown, Result>,
  ): Promise<Result> {
    let about: About = { command: 'WAIT' }
    const command = make((name, ...args) => node.send(about, name, ...args.flat()))
    about = command.about
    const sent = command.start()
    // On the same connection, so after it.
    const acknowledged = this.#acknowledgement(node, key, about)
    acknowledged.catch(() => undefined)
    try {
      const reply = await sent
      await acknowledged
      return await readAnswer(command, reply)
    } catch (error) {
      const again = command.retry?.(error instanceof StoreError ? error.cause : error)
      if (!again) throw error
      const reply = await again
      await this.#acknowledgement(node, key, about)
      return await readAnswer(command, reply)
    }
  }

  /** Resolves when every earlier write to that server has reached enough replicas. */
  #acknowledgement(node: NodeLink, key: string, about: About): Promise<void> {
    const next = this.#next.get(node)
    if (next) return next
    const underWay = this.#underWay.get(node)
    if (!underWay) return this.#begin(node, key, about)
    const begun = underWay.then(
      () => this.#begin(node, key, about),
      () => this.#begin(node, key, about),
    )
    this.#next.set(node, begun)
    return begun
  }

  #begin(node: NodeLink, key: string, { lockName }: About): Promise<void> {
    const waiting = this.#wait(node, key, lockName)
    this.#next.delete(node)
    this.#underWay.set(node, waiting)
    const over = (): void => {
      if (this.#underWay.get(node) === waiting) this.#underWay.delete(node)
    }
    waiting.then(over, over)
    return waiting
  }

  async #wait(node: NodeLink, key: string, lockName: string | undefined): Promise<void> {
    const { replicas, timeoutMs } = this.wanted
    const mark = companionOf('holdfast_replicas', key)
    const about = { command: 'WAIT', lockName }
    const [, acknowledged] = await Promise.all([
      node.send({ command: 'SET', lockName }, 'SET', mark, '', 'PX', MARK_KEPT_MS),
      answerTo(about, node.send(about, 'WAIT', replicas, timeoutMs), (reply) => wholeIn(reply, 0)),
    ])
    if (acknowledged >= replicas) return
    throw new StoreError('replicas', 'WAIT', {
      lockName,
      transient: false,
      hint:
        `${acknowledged} of ${replicas} replicas (checkReplicas) had the lock within ${timeoutMs} ms (replicasTimeoutMs), so ` +
        'Holdfast gave it back. Check that the replicas are connected and keep up.',
    })
  }
}

function hasMoved(error: unknown): boolean {
  return (
    error instanceof StoreError && error.cause instanceof Error && error.cause.message.startsWith('MOVED')
  )
}
