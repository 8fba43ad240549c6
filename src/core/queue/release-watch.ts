import type { Clock } from '../../base/time/clock.js'
import { isTransient } from '../../port/failure.js'
import type { LockPort, Watch } from '../../port/lock-port.js'
import { Outage } from '../acquire/outage.js'
import type { Policy } from './policy.js'

/**
 * For how long a lock that this process has is taken for granted without a word from the store, which may have lost it meanwhile (its key
 * was deleted, a failover): so long it may go from call to call in memory, and is not doubted because a watch has only begun.
 */
export const LONGEST_UNCONFIRMED_MS = 250

/**
 * How long who waits relies on being told, where no lease ends by itself: at a latch, behind permits that were taken without one.
 * An announcement may have been lost with nobody the wiser, and then nothing else would ever have it look.
 */
const LONGEST_REST_MS = 30_000

/** After how long to look again, what is waited for having `remainingMs` left. */
export function restMs(remainingMs: number): number {
  return remainingMs === Infinity ? LONGEST_REST_MS : remainingMs
}

/**
 * The watch that all waiters of one lock in this process share (rule W2). A watch that fails is dropped; the next one is begun after a pause.
 */
export class ReleaseWatch {
  /** Of what was announced, the number of the latest. An answer is up to date if it is the same as when its question was sent. */
  version = 0
  /** Up to which number somebody has looked into it. */
  #read = 0
  /** The version that the beginning of this watch counts as: the store may have announced something before it. */
  #begunAt = 0
  #watch: Watch | undefined
  #confirmed = false
  /** When the next one may begin, after one has failed. */
  againAt = -Infinity
  #outage: Outage | undefined
  /** What the last one failed with, if that will not pass. */
  #refusal: unknown

  constructor(
    private readonly name: string,
    private readonly port: LockPort,
    private readonly queue: { readonly policy: Policy; readonly clock: Pick<Clock, 'now'> },
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
      this.queue.policy.onSignal(news)
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
        this.#outage = undefined
        if (!inOrder) this.#missedPerhaps()
      },
      (error: unknown) => {
        if (this.#watch !== watch) return
        this.end()
        this.#failed(error)
        this.version += 1
        this.queue.policy.onSignal()
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

  #failed(error: unknown): void {
    const now = this.queue.clock.now()
    this.#outage ??= new Outage()
    this.#outage.failed(error, now, now)
    if (isTransient(error)) this.againAt = this.#outage.retryAt(now)
    else this.#refusal = error
  }

  /** @throws what the last watch was refused with for good; once, then another may be begun */
  throwIfRefused(): void {
    const refusal = this.#refusal
    this.#refusal = undefined
    if (refusal !== undefined) throw refusal
  }

  end(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#confirmed = false
    this.#refusal = undefined
    this.queue.policy.onWatchEnded?.()
  }
}
