/** Waits until a condition holds, looking again every few milliseconds; fails with what it last saw after `withinMs`. */
export async function eventually<Value>(
  look: () => Value | Promise<Value>,
  accept: (value: Value) => boolean = Boolean,
  withinMs = 20_000,
): Promise<Value> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const value = await look()
    if (accept(value)) return value
    if (performance.now() > giveUpAt)
      throw new Error(`not so within ${withinMs} ms; last seen: ${String(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
