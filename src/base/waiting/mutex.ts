/**
 * Lets asynchronous steps on one thing happen one after the other, in the order they asked. Used for the commands of one
 * tenure: each names the hold count it starts from, so the next may only be made when the outcome of the last is known.
 */
export class Mutex {
  #taken = false
  #waiting: Array<(failure: unknown) => void> | undefined
  /** Of those, how many at the front go before others. */
  #first = 0

  get free(): boolean {
    return !this.#taken
  }

  /** Takes the turn if it is free at this moment. Every turn must be ended with {@link end}. */
  tryTake(): boolean {
    if (this.#taken) return false
    this.#taken = true
    return true
  }

  /** Resolves when it is the caller's turn; every turn must be ended with {@link end}. */
  take(): Promise<unknown> {
    return this.#join(false)
  }

  /**
   * As {@link take}, but before all that have not asked by this: it waits for the one whose turn it is, and its like. Resolves with what
   * the one before it has failed of, if that said so.
   */
  takeFirst(): Promise<unknown> {
    return this.#join(true)
  }

  #join(first: boolean): Promise<unknown> {
    if (this.tryTake()) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiting ??= []
      if (!first) this.#waiting.push(resolve)
      else {
        this.#waiting.splice(this.#first, 0, resolve)
        this.#first += 1
      }
    })
  }

  /** @param failure what the one next in line need not find out again */
  end(failure?: unknown): void {
    const next = this.#waiting?.shift()
    if (this.#first > 0) this.#first -= 1
    if (next) next(failure)
    else this.#taken = false
  }
}
