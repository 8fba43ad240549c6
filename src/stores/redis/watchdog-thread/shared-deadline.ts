import type { Instant } from './instant.js'

/** The monotonic cell before the first renewal, and after the loss. */
const UNTOLD = 0n
const LOST = -1n

/**
 * The deadline of one lease in memory that two threads share, by the monotonic clock and by the wall clock. The watchdog thread writes, the
 * main thread reads.
 */
export class SharedDeadline {
  readonly #cells: BigInt64Array

  constructor(readonly memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#cells = new BigInt64Array(memory)
  }

  /**
   * Writes the wall clock's cell first: a reader that sees the new monotonic deadline then sees the new one by the wall clock too. An old
   * monotonic deadline beside a new one by the wall clock is safe: the store granted both.
   */
  write({ monotonicUs, wallUs }: Instant): void {
    Atomics.store(this.#cells, 1, BigInt(Math.floor(wallUs)))
    Atomics.store(this.#cells, 0, BigInt(Math.floor(monotonicUs)))
  }

  lose(): void {
    Atomics.store(this.#cells, 0, LOST)
  }

  /** Changes with every write. */
  get stamp(): bigint {
    return Atomics.load(this.#cells, 0)
  }

  /** The deadline for a stamp; undefined before the first write. */
  read(stamp: bigint): Instant | 'lost' | undefined {
    if (stamp === UNTOLD) return undefined
    if (stamp === LOST) return 'lost'
    return { monotonicUs: Number(stamp), wallUs: Number(Atomics.load(this.#cells, 1)) }
  }
}
