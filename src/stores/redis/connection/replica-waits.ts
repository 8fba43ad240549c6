import { StoreError } from '../../../base/errors/errors.js'
import { isError } from '../../../base/errors/is-error.js'
import type { About } from '../../../port/failure.js'
import { wholeIn } from '../scripts/replies.js'
import { answerTo, readAnswer } from './failure.js'
import type { Command, Link, NodeLink, Renewing, Send } from './link.js'

interface Acknowledged {
  readonly replicas: number
  readonly timeoutMs: number
}

/**
 * Answers a renewal once enough replicas have its write. It uses connections of its own, since `WAIT` holds up every later
 * command. `WAIT` counts its connection's last write, so a script that did its work must have written. Each server has one `WAIT` under
 * way; scripts that come meanwhile share the next one.
 */
export class ReplicaWaits implements Renewing {
  /** For each server the wait under way, and the one after it. */
  readonly #underWay = new WeakMap<NodeLink, Promise<unknown>>()
  readonly #next = new WeakMap<NodeLink, Promise<void>>()
  /** Up to which break of the granting link this one has followed it. */
  #followed = 0

  constructor(
    private readonly link: Link,
    private readonly wanted: Acknowledged,
    /** The link that wrote the grants which the replicas acknowledge. */
    private readonly granting: Pick<Link, 'breaks'>,
  ) {}

  together<Result>(body: () => Result): Result {
    return this.link.together(body)
  }

  async execute<Result>(key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    await this.#follow()
    try {
      return await this.#executeOn(await this.link.nodeOf(key), make)
    } catch (error) {
      if (!livesElsewhere(error)) throw error
      const node = (await this.link.destinationOf(key)) ?? (await this.link.nodeOf(key))
      return await this.#executeOn(node, make)
    }
  }

  /** Where grants come from another server now, this link must not stay with the former one, which may answer as well. */
  async #follow(): Promise<void> {
    const { breaks } = this.granting
    if (breaks === this.#followed) return
    this.#followed = breaks
    await this.link.reconnect()
  }

  async #executeOn<Result>(node: NodeLink, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    let about: About = { command: 'WAIT' }
    const command = make((name, ...args) => node.send(about, name, ...args.flat()))
    about = command.about
    const sent = command.start()
    // On the same connection, so after it.
    const acknowledged = this.#acknowledgement(node, about)
    acknowledged.catch(() => undefined)
    try {
      const reply = await sent
      await acknowledged
      return await readAnswer(command, reply)
    } catch (error) {
      const again = command.retry?.(error instanceof StoreError ? error.cause : error)
      if (!again) throw error
      const reply = await again
      await this.#acknowledgement(node, about)
      return await readAnswer(command, reply)
    }
  }

  /** Resolves when every earlier write to that server has reached enough replicas. */
  #acknowledgement(node: NodeLink, about: About): Promise<void> {
    const next = this.#next.get(node)
    if (next) return next
    const underWay = this.#underWay.get(node)
    const begin = (): Promise<void> => this.#begin(node, about)
    if (!underWay) return begin()
    const begun = underWay.then(begin, begin)
    this.#next.set(node, begun)
    return begun
  }

  #begin(node: NodeLink, { lockName }: About): Promise<void> {
    const waiting = this.#wait(node, lockName)
    this.#next.delete(node)
    this.#underWay.set(node, waiting)
    const over = (): void => {
      if (this.#underWay.get(node) === waiting) this.#underWay.delete(node)
    }
    waiting.then(over, over)
    return waiting
  }

  async #wait(node: NodeLink, lockName: string | undefined): Promise<void> {
    const { replicas, timeoutMs } = this.wanted
    const about = { command: 'WAIT', lockName }
    const acknowledged = await answerTo(about, node.send(about, 'WAIT', replicas, timeoutMs), (reply) =>
      wholeIn(reply, 0),
    )
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

/** The client library follows only commands that it has routed itself. */
function livesElsewhere(error: unknown): boolean {
  return error instanceof StoreError && isError(error.cause) && /^(?:MOVED|ASK) /.test(error.cause.message)
}
