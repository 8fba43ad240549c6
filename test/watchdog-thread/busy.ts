const nothing = new Int32Array(new SharedArrayBuffer(4))

/**
 * Keeps the event loop from turning until a condition holds, as CPU-bound work does, but leaves the processor to the thread, the
 * server and the observer that this is about. Fails when it never comes to hold.
 */
export function blockUntil(condition: () => boolean, withinMs = 15_000): void {
  const giveUpAt = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`still not so after blocking for ${withinMs} ms`)
    Atomics.wait(nothing, 0, 0, 1)
  }
}

/** Keeps the event loop from turning for that long. */
export function blockFor(ms: number): void {
  const end = performance.now() + ms
  blockUntil(() => performance.now() >= end, 2 * ms)
}
