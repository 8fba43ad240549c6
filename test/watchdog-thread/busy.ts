/** Keeps the event loop from turning until a condition holds, as CPU-bound work does; fails when it never comes to hold. */
export function blockUntil(condition: () => boolean, withinMs = 15_000): void {
  const giveUpAt = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`still not so after blocking for ${withinMs} ms`)
  }
}

/** Keeps the event loop from turning for that long. */
export function blockFor(ms: number): void {
  const end = performance.now() + ms
  blockUntil(() => performance.now() >= end, 2 * ms)
}
