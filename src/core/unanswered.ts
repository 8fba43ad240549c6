import { ClosedError } from '../base/errors/errors.js'

/**
 * The commands that callers await and only the store can settle. A store settles each by its own timeouts, but those end with the client;
 * a command that is still open then must not leave its caller waiting for ever. (Racing each command with one promise for the end of the
 * client would leak a reaction per command until that end.)
 */
export class Unanswered {
  readonly #ends = new Set<() => void>()
  #over = false

  /** Settles as the work does, or rejects with `ClosedError` when the client ends first. */
  upToEnd<Result>(work: Promise<Result>, name?: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new ClosedError(name))
      work.then(resolve, reject).then(() => this.#ends.delete(end))
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
