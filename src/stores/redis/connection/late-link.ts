import { StoreError } from '../../../base/errors/errors.js'
import type { About } from '../../../port/failure.js'
import type { Argument, Command, Link, NodeLink, Send } from './link.js'

/**
 * The link to a cluster, which loads its code when it is made, so that an application without a cluster does not load it. Commands wait
 * until the code is there.
 */
export class LateLink implements Link {
  readonly publishCommand = 'SPUBLISH'
  readonly subscribesInOrder = false
  #link: Link | undefined
  readonly #loading: Promise<Link>

  constructor(load: () => Promise<Link>) {
    this.#loading = load().then(
      (link) => {
        this.#link = link
        return link
      },
      (cause: unknown) => {
        const hint =
          'A file of Holdfast is missing: a deployment may have replaced it. Start this process again.'
        throw new StoreError('not-ready', 'import', { transient: false, cause, hint })
      },
    )
    // Each command fails with it.
    this.#loading.catch(() => undefined)
  }

  get breaks(): number {
    return this.#link?.breaks ?? 0
  }

  send(key: string, about: About, command: string, ...args: Argument[]): Promise<unknown> {
    return this.#ask((link) => link.send(key, about, command, ...args))
  }

  execute<Result>(key: string, make: (send: Send) => Command<unknown, Result>): Promise<Result> {
    return this.#ask((link) => link.execute(key, make))
  }

  together<Result>(body: () => Result): Result {
    return this.#link ? this.#link.together(body) : body()
  }

  subscribe(channel: string): Promise<void> {
    return this.#ask((link) => link.subscribe(channel))
  }

  unsubscribe(channel: string): void {
    this.#ask(async (link) => link.unsubscribe(channel)).catch(() => undefined)
  }

  doubtNews(): void {
    this.#link?.doubtNews()
  }

  nodes(): Promise<readonly NodeLink[]> {
    return this.#ask((link) => link.nodes())
  }

  nodeOf(key: string): Promise<NodeLink> {
    return this.#ask((link) => link.nodeOf(key))
  }

  destinationOf(key: string): Promise<NodeLink | undefined> {
    return this.#ask((link) => link.destinationOf(key))
  }

  reconnect(): Promise<void> {
    return this.#ask((link) => link.reconnect())
  }

  async close(): Promise<void> {
    const link = await this.#loading.catch(() => undefined)
    await link?.close()
  }

  #ask<Result>(what: (link: Link) => Promise<Result>): Promise<Result> {
    return this.#link ? what(this.#link) : this.#loading.then(what)
  }
}
