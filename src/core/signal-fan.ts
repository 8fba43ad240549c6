/**
 * One signal for many calls, as a signal for each: they listen once to the outer one, which else would be taken for leaking
 * listeners, and can be ended without it.
 */
export class SignalFan {
  readonly #controllers = new Set<AbortController>()
  readonly #abort = (): void => this.abort(this.outer?.reason)

  constructor(private readonly outer: AbortSignal | undefined) {
    outer?.addEventListener('abort', this.#abort, { once: true })
  }

  /** A signal for one more call. */
  next(): AbortSignal {
    const controller = new AbortController()
    if (this.outer?.aborted) controller.abort(this.outer.reason)
    else this.#controllers.add(controller)
    return controller.signal
  }

  abort(reason?: unknown): void {
    for (const controller of this.#controllers) controller.abort(reason)
    this.#controllers.clear()
  }

  /** All calls have ended. */
  close(): void {
    this.outer?.removeEventListener('abort', this.#abort)
    this.#controllers.clear()
  }
}
