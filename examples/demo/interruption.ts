import { constants } from 'node:os'
import process from 'node:process'

/** Ctrl-C and its like: ends what goes on in order, so that no server and no worker is left. */
export class Interruption {
  readonly #controller = new AbortController()
  #by: 'SIGINT' | 'SIGTERM' | undefined

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        this.#by ??= name
        this.#controller.abort(new Error(`interrupted by ${name}`))
      })
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What a shell expects of a program that ended by a signal; undefined when there was none. */
  get exitCode(): number | undefined {
    return this.#by === undefined ? undefined : 128 + constants.signals[this.#by]
  }

  /** What comes first: the result, or an interruption. */
  async race<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this
    let abort = (): void => undefined
    const interrupted = new Promise<never>((_resolve, reject) => {
      abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
    })
    try {
      return await Promise.race([work, interrupted])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}
