import { reasonOf } from '../../base/errors/abort-reason.js'
import { onAbort } from './shared-signal.js'

/**
 * One signal for many calls, as a signal for each: they listen once to the outer one, which else would be taken for leaking
 * listeners, and can be ended without it.
 */
export class SignalFan {
  readonly #controllers = new Set<AbortController>()
  readonly #stopListening: (() => void) | undefined

  constructor(private readonly outer: AbortSignal | undefined) {
    this.#stopListening = outer && onAbort(outer, (reason) => this.abort(reason))
  }

  /** A signal for one more call. */
  next(): AbortSignal {
    const controller = new AbortController()
    if (this.outer?.aborted) controller.abort(reasonOf(this.outer))
    else this.#controllers.add(controller)
    return controller.signal
  }

  abort(reason?: unknown): void {
    for (const controller of this.#controllers) controller.abort(reason)
    this.#controllers.clear()
  }

  /** All calls have ended. */
  close(): void {
    this.#stopListening?.()
    this.#controllers.clear()
  }
}
