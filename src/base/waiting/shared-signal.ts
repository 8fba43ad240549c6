import { reasonOf } from '../errors/abort-reason.js'

/** The calls that share a signal, and the one listener they have there. */
class Listeners {
  readonly #all = new Set<(reason: unknown) => void>()
  readonly #abort = (): void => {
    const reason = reasonOf(this.signal)
    for (const listener of [...this.#all]) listener(reason)
  }

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  add(listener: (reason: unknown) => void): void {
    this.#all.add(listener)
  }

  /** False when nobody listens any more. */
  remove(listener: (reason: unknown) => void): boolean {
    this.#all.delete(listener)
    if (this.#all.size > 0) return true
    this.signal.removeEventListener('abort', this.#abort)
    return false
  }
}

const bySignal = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls `listener` with the reason when the signal aborts. However many calls share a signal, it is listened to once: Node takes more than ten
 * listeners for a leak, and warns.
 *
 * @returns what ends that.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  const listeners = bySignal.get(signal) ?? new Listeners(signal)
  bySignal.set(signal, listeners)
  listeners.add(listener)
  return () => {
    if (!listeners.remove(listener) && bySignal.get(signal) === listeners) bySignal.delete(signal)
  }
}
