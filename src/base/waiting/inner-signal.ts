import { reasonOf } from '../errors/abort-reason.js'
import { onAbort } from './shared-signal.js'

/** A signal that aborts with the outer one, if there is one, and can be aborted without it. */
export class InnerSignal {
  readonly #controller = new AbortController()
  readonly #stopListening: (() => void) | undefined

  constructor(outer: AbortSignal | undefined) {
    if (outer?.aborted) this.abort(reasonOf(outer))
    else this.#stopListening = outer && onAbort(outer, (reason) => this.abort(reason))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  /** Leaves the outer one. */
  close(): void {
    this.#stopListening?.()
  }
}
