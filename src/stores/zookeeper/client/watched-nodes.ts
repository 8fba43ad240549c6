import { Listeners } from '../../../base/collections/listeners.js'
import type { Schedule } from '../../../base/time/schedule.js'
import type { Connection, NodeEvent } from './connection.js'
import { getData, unwatchNode, watchNode } from './operations.js'
import { codes, RefusedError } from './result-codes.js'

/** The pause before another look at a node that this user may not read, which has no watch. */
const LOOK_AGAIN_MS = 1_000

/** The watches of one session, over as many connections as it takes. */
export class WatchedNodes {
  /** For the end of a node. */
  readonly #watches = new Listeners<boolean>()
  /** For every change. */
  readonly #changes = new Listeners<void>()
  /** For the next that comes or goes in a node. */
  readonly #folders = new Listeners<void>()
  /** Which are being asked for again since they told of something, and how to ask once more if they have told of more since then. */
  readonly #asked = new Map<string, (() => void) | undefined>()
  /** Whether the server now reports what happened while there was no connection, in no particular order. */
  #catchesUp = false
  /** Whether there is a node that it may not read, and so cannot watch. */
  #blind = false

  /** @param current the connection, if there is one; otherwise, and after a break, the next connection asks */
  constructor(
    private readonly current: () => Connection | undefined,
    private readonly schedule: Schedule,
  ) {}

  /**
   * Calls back once when that node is gone or may be, unless the watch closes first. `inOrder`: it is gone, and earlier watches have already
   * reported all nodes that went before it. Once the session is over, no watch calls back.
   */
  watch(path: string, onGone: (inOrder: boolean) => void): { close(): void } {
    if (this.#watches.add(path, onGone)) void this.#arm(path)
    return {
      close: () => {
        if (this.#watches.delete(path, onGone)) this.#disarm(path)
      },
    }
  }

  /** Calls back on every change from when the caller has asked for the node. */
  watchChanges(path: string, onChange: () => void): () => void {
    this.#changes.add(path, onChange)
    return () => {
      if (this.#changes.delete(path, onChange)) this.#disarm(path)
    }
  }

  /** Calls back on what comes or goes in that node, once after each {@link getChildren} with `watch`, and when that may have happened unheard. */
  watchFolder(path: string, onNews: () => void): () => void {
    this.#folders.add(path, onNews)
    return () => this.#folders.delete(path, onNews)
  }

  happened({ path, gone }: NodeEvent): void {
    if (this.#folders.has(path)) this.#folders.tell(path)
    else if (this.#changes.has(path)) this.#changed(path)
    else if (gone) this.#watches.tellLast(path, !this.#catchesUp && !this.#blind)
    else if (this.#watches.has(path)) this.#again(path, () => this.#arm(path))
  }

  /** Sets all watches on the next connection; the earlier one had reported all up to that transaction. Rejects if the server refuses. */
  async goOnBy(connection: Connection, seenZxid: bigint): Promise<void> {
    this.#asked.clear()
    const { names: paths } = this.#watches
    this.#catchesUp = paths.length > 0
    const caughtUp = this.#catchesUp ? connection.setWatches(seenZxid, paths) : undefined
    // Nobody knows what they missed.
    for (const path of this.#changes.names) this.#changed(path)
    for (const path of this.#folders.names) this.#folders.tell(path)
    await caughtUp
    if (this.current() === connection) this.#catchesUp = false
  }

  /** Sets the watch anew before anybody looks. */
  #changed(path: string): void {
    this.#again(path, async () => {
      await this.current()?.request(watchNode(path))
    })
    this.#changes.tell(path)
  }

  /**
   * Sets the watch anew, one request at a time, even if a server sends event after event and answers nothing. An event that comes meanwhile
   * may have ended the new watch (the two may come in one piece): then it asks once more.
   */
  #again(path: string, ask: () => Promise<void>): void {
    if (this.#asked.has(path)) {
      this.#asked.set(path, () => this.#again(path, ask))
      return
    }
    this.#asked.set(path, undefined)
    const connection = this.current()
    const answered = (): void => {
      if (this.current() !== connection) return
      const onceMore = this.#asked.get(path)
      this.#asked.delete(path)
      onceMore?.()
    }
    ask().then(answered, answered)
  }

  async #arm(path: string): Promise<void> {
    await this.current()
      ?.request(getData(path, true))
      .catch((error: unknown) => {
        if (!(error instanceof RefusedError)) return
        if (error.code === codes.noNode) return this.#watches.tellLast(path, !this.#blind)
        this.#blind = true
        const { schedule } = this
        schedule.at(schedule.clock.now() + LOOK_AGAIN_MS, () => this.#watches.tellLast(path, false))
      })
  }

  /** Removes a useless watch, which the server would keep until the node goes. */
  #disarm(path: string): void {
    this.current()
      ?.request(unwatchNode(path))
      .catch(() => undefined)
  }
}
