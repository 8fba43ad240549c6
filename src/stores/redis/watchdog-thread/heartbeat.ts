import { processClocks } from './instant.js'

/** When the main thread was last seen alive, in memory that the threads share. */
export class Heartbeat {
  readonly #cell: BigInt64Array

  constructor(
    readonly memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT),
    private readonly shared = processClocks,
  ) {
    this.#cell = new BigInt64Array(memory)
  }

  beat(): void {
    Atomics.store(this.#cell, 0, BigInt(this.shared.monotonicUs()))
  }

  /** How long ago the last beat was. Time that the machine sleeps does not count. */
  ageMs(): number {
    return (this.shared.monotonicUs() - Number(Atomics.load(this.#cell, 0))) / 1_000
  }
}
