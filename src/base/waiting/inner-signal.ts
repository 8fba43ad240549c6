import { reasonOf } from '../errors/abort-reason.js'
import { onAbort } from './shared-signal.js'

/** Its signal aborts with the outer one, if there is one, and can be aborted without it. */
export class InnerSignal extends AbortController {
  readonly #stopListening: (() => void) | undefined

  constructor(outer: AbortSignal | undefined) {
    super()
    if (outer?.aborted) this.abort(reasonOf(outer))
    else this.#stopListening = outer && onAbort(outer, (reason) => this.abort(reason))
  }

  /** Leaves the outer one. */
  close(): void {
    this.#stopListening?.()
  }
}
