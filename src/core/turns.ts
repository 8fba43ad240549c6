/**
 * Lets asynchronous steps on one thing happen one after the other, in the order they asked. Used for the commands of one
 * tenure: each names the hold count it starts from, so the next may only be made when the outcome of the last is known.
 */
export class Turns {
  #taken = false
  #waiting: Array<() => void> | undefined

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
  take(): Promise<void> {
    if (this.tryTake()) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting ??= []
      this.#waiting.push(resolve)
    })
  }

  end(): void {
    const next = this.#waiting?.shift()
    if (next) next()
    else this.#taken = false
  }
}
