import type { LockPort, News, Watch } from '../../port/lock-port.js'

/**
 * For how long a lock that this process has is taken for granted without a word from the store, which may have lost it meanwhile (its key
 * was deleted, a failover): so long it may go from call to call in memory, and is not doubted because a watch has only begun.
 */
export const LONGEST_UNCONFIRMED_MS = 250

export interface WatchListener {
  /** The store has announced something, or the watch has failed. */
  onSignal(news?: News): void
  /** Nothing is announced any more. */
  onWatchEnded(): void
}

/**
 * The watch that all waiters of one lock in this process share (rule W2). A watch that fails is dropped; its failure is kept for
 * the waiter that handles it.
 */
export class ReleaseWatch {
  /** Of what was announced, the number of the latest. An answer is up to date if it is the same as when its question was sent. */
  version = 0
  /** Up to which number somebody has looked into it. */
  #read = 0
  /** What was the latest when the watch began: that itself, as the store may have announced something before. */
  #begunAt = 0
  #watch: Watch | undefined
  #confirmed = false
  #failure: unknown

  constructor(
    private readonly name: string,
    private readonly port: LockPort,
    private readonly listener: { readonly policy: WatchListener },
  ) {}

  /** Whether an acquire sent now runs with the watch in force. */
  get inForce(): boolean {
    const watch = this.#watch
    return watch !== undefined && (this.#confirmed || watch.inForce === true || this.port.watchesInOrder)
  }

  /** Whether something was announced that nobody has looked into yet. */
  get unread(): boolean {
    return this.version > this.#read
  }

  /** Somebody looks into all that was announced, or knows more than that. */
  read(): void {
    this.#read = this.version
  }

  /** What was announced since `version` may be newer than the answer to a question of that time, whichever call has looked into it. */
  readUpTo(version: number): void {
    this.#read = Math.min(this.#read, version)
  }

  /**
   * From when on what is unread casts doubt on a lock that this process has had since then. If nothing was announced since the watch
   * began, it is only what may have happened before.
   */
  doubtsFrom(since: number): number {
    if (!this.unread) return Infinity
    return this.version === this.#begunAt ? since + LONGEST_UNCONFIRMED_MS : -Infinity
  }

  /** Begins the watch unless it has begun. What happened before it is in force is a signal too: one waiter looks once. */
  begin(): Watch {
    if (this.#watch) return this.#watch
    const { port } = this
    const watch = port.watch(this.name, (news) => {
      this.version += 1
      // The user may not listen any more. (In a line it listens to something else then.)
      if (this.#watch === watch && this.#confirmed && watch.inForce === false && !port.line) this.end()
      this.listener.policy.onSignal(news)
    })
    this.#watch = watch
    this.#begunAt = this.version
    // A port may come to know only later that it watches in order: this watch was not begun so.
    const inOrder = port.watchesInOrder
    if (inOrder) this.#missedPerhaps()
    watch.confirmed.then(
      () => {
        if (this.#watch !== watch) return
        this.#confirmed = true
        if (!inOrder) this.#missedPerhaps()
      },
      (error: unknown) => {
        if (this.#watch !== watch) return
        this.end()
        this.#failure = error
        this.version += 1
        this.listener.policy.onSignal()
      },
    )
    return watch
  }

  /** The watch is in force: what happened before was announced to nobody. */
  #missedPerhaps(): void {
    if (this.#begunAt === this.version) this.#begunAt += 1
    this.version += 1
  }

  /** The lock was given away, and nothing had been announced: the store is to find out whether messages still come (rule W7). */
  doubt(): void {
    this.#watch?.doubt?.()
  }

  /** What the last watch failed with, once. */
  takeFailure(): unknown {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  end(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#confirmed = false
    this.#failure = undefined
    this.listener.policy.onWatchEnded()
  }
}
