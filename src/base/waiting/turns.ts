/** Runs the work on one thing piece by piece, in the order of the calls. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<Result>(thing: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(thing)
    const mine = before ? before.then(work, work) : work()
    this.#last.set(thing, mine)
    const over = (): void => {
      if (this.#last.get(thing) === mine) this.#last.delete(thing)
    }
    mine.then(over, over)
    return mine
  }
}
