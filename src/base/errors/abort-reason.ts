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
