import type { LockPort, Watch } from '../store.js'
import { WaitQueue } from './queue.js'
import type { Tenure } from './tenure.js'

/** Where the calls of one process for one lock meet: who of them holds it, who waits, and the watch they share. */
export class Gate {
  readonly queue = new WaitQueue()
  /** The tenure of this process, as far as known. */
  tenure: Tenure | undefined
  /** Calls that have had to wait and still do. */
  waiting = 0
  /** Calls at work here; the gate is dropped when there are none and nothing is held. */
  callers = 0
  /** Something was announced that no attempt has looked at yet. */
  news = false
  #watch: Watch | undefined
  #watchConfirmed = false
  #watchFailure: unknown

  constructor(readonly name: string) {}

  /** The store has announced something: one contender looks into it, whoever else waits sleeps on (no thundering herd). */
  announce(): void {
    this.news = true
    this.queue.contender(this.tenure)?.wakeUp.release()
  }

  /** Possession in this process has changed: wakes the one waiter whose turn it may be. */
  next(): void {
    const holder = this.tenure
    const waiter = holder?.state === 'held' ? this.queue.reentrant(holder) : undefined
    if (waiter) waiter.wakeUp.release()
    else this.queue.contender(holder)?.wakeUp.release()
  }

  /** Whether an acquire sent now runs with the watch in force. */
  watched(port: LockPort): boolean {
    return this.#watchConfirmed || (this.#watch !== undefined && port.watchesInOrder)
  }

  /**
   * The watch that all waiters here share (rule W2). What happened before it is in force is news to it: the contender asks once,
   * even if this process believes that it holds the lock itself. A watch that fails is dropped; its failure is kept for the
   * contender.
   */
  beginWatch(port: LockPort): Watch {
    if (this.#watch) return this.#watch
    const watch = port.watch(this.name, () => this.announce())
    this.#watch = watch
    if (port.watchesInOrder) this.news = true
    watch.confirmed.then(
      () => {
        if (this.#watch !== watch) return
        this.#watchConfirmed = true
        if (!port.watchesInOrder) this.news = true
      },
      (error: unknown) => {
        if (this.#watch !== watch) return
        this.endWatch()
        this.#watchFailure = error
        this.announce()
      },
    )
    return watch
  }

  /** What the last watch failed with, once. */
  takeWatchFailure(): unknown {
    const failure = this.#watchFailure
    this.#watchFailure = undefined
    return failure
  }

  endWatch(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#watchConfirmed = false
    this.#watchFailure = undefined
  }
}
