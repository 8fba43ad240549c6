import { reasonOf } from '../errors/abort-reason.js'

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
