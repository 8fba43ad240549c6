const defaultReasons = new WeakMap<AbortSignal, DOMException>()

/** Why a signal has aborted. A polyfill of the older standard gives no reason: then it is the one that Node gives, the same for all who ask. */
export function reasonOf(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason
  const reason = defaultReasons.get(signal) ?? new DOMException('This operation was aborted', 'AbortError')
  defaultReasons.set(signal, reason)
  return reason
}

/** As the method of the signal, which a polyfill need not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal)
}

/** The calls that share a signal, and the one listener that they have there. */
interface Shared {
  readonly listeners: Set<(reason: unknown) => void>
  readonly abort: () => void
}

const bySignal = new WeakMap<AbortSignal, Shared>()

/**
 * Calls `listener` with the reason when the signal aborts. However many calls share a signal, it is listened to once: Node takes more than ten
 * listeners for a leak, and warns.
 *
 * @returns what ends that.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  const shared = bySignal.get(signal) ?? listenTo(signal)
  const { listeners, abort } = shared
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || bySignal.get(signal) !== shared) return
    signal.removeEventListener('abort', abort)
    bySignal.delete(signal)
  }
}

function listenTo(signal: AbortSignal): Shared {
  const listeners: Shared['listeners'] = new Set()
  const abort = (): void => {
    const reason = reasonOf(signal)
    for (const listener of [...listeners]) listener(reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  const shared = { listeners, abort }
  bySignal.set(signal, shared)
  return shared
}

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
