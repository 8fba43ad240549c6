import { ClosedError } from '../errors/errors.js'

/**
 * What somebody awaits and only the store can settle. A store is to settle every command by itself, if only by its own timeouts; but
 * those end with the client, and one that never does may not leave its callers waiting for ever. (To race each with one promise that
 * stays open for as long as the client would leave something behind every time.)
 */
export class Unanswered {
  readonly #ends = new Set<() => void>()
  #over = false

  /** What the work comes to; a rejection with `ClosedError` if the client has ended before. */
  upToEnd<Result>(work: Promise<Result>, name?: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new ClosedError(name))
      work.then(
        (result) => {
          this.#ends.delete(end)
          resolve(result)
        },
        (error: unknown) => {
          this.#ends.delete(end)
          reject(error)
        },
      )
      if (this.#over) end()
      else this.#ends.add(end)
    })
  }

  /** Nothing that is sent now will be answered. */
  end(): void {
    this.#over = true
    for (const end of this.#ends) end()
    this.#ends.clear()
  }
}
