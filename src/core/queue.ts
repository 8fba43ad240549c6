import type { Tenure } from './tenure.js'
import type { Waiter } from './waiter.js'

/** The waiters of one lock in this process, first in, first out (rule W3). Decides who may act; wakes nobody itself. */
export class WaitQueue {
  readonly #waiters = new Set<Waiter>()

  get size(): number {
    return this.#waiters.size
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter)
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter)
  }

  /**
   * The one that speaks to the store for all: the first in line. While the process itself holds the lock, waiters of the same
   * owner do not count: they are let in by reentry or not at all.
   */
  contender(holder: Tenure | undefined): Waiter | undefined {
    for (const waiter of this.#waiters) {
      if (!holder || waiter.caller.owner !== holder.owner) return waiter
    }
    return undefined
  }

  /** The first that may re-enter `holder`'s tenure now. */
  reentrant(holder: Tenure): Waiter | undefined {
    for (const waiter of this.#waiters) {
      if (holder.admits(waiter.caller)) return waiter
    }
    return undefined
  }

  /** The first waiter of the same owner that came before this one. */
  ahead(of: Waiter): Waiter | undefined {
    for (const waiter of this.#waiters) {
      if (waiter === of) return undefined
      if (waiter.caller.owner === of.caller.owner) return waiter
    }
    return undefined
  }

  /** Whether another waiter acts for the same owner. */
  hasOther(than: Waiter): boolean {
    for (const waiter of this.#waiters) {
      if (waiter !== than && waiter.caller.owner === than.caller.owner) return true
    }
    return false
  }

  [Symbol.iterator](): IterableIterator<Waiter> {
    return this.#waiters.values()
  }
}
