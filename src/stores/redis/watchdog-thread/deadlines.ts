import type { Instant } from './instant.js'

const SLOTS_PER_CHUNK = 1_024
/** A deadline by the monotonic clock, and the same by the wall clock. */
const CELLS_PER_SLOT = 2

/** The monotonic cell before the first renewal, and after the loss. */
const UNTOLD = 0n
const LOST = -1n

/**
 * Deadlines in memory that two threads share, a slot for each lease. The thread writes, the main thread reads. The memory grows by chunks,
 * which keep their place as long as the thread lives.
 */
export class Deadlines {
  readonly #chunks: BigInt64Array[] = []

  static newChunk(): SharedArrayBuffer {
    return new SharedArrayBuffer(SLOTS_PER_CHUNK * CELLS_PER_SLOT * BigInt64Array.BYTES_PER_ELEMENT)
  }

  /** How many slots there are. */
  get capacity(): number {
    return this.#chunks.length * SLOTS_PER_CHUNK
  }

  /** Both threads add the same chunks in the same order. */
  addChunk(chunk: SharedArrayBuffer): void {
    this.#chunks.push(new BigInt64Array(chunk))
  }

  /**
   * Writes the wall clock's cell first: a reader that sees the new monotonic deadline then sees the new one by the wall clock too. An old
   * monotonic deadline beside a new one by the wall clock is safe: the store granted both.
   */
  write(slot: number, { monotonicUs, wallUs }: Instant): void {
    const chunk = this.#chunkOf(slot)
    const cell = cellOf(slot)
    Atomics.store(chunk, cell + 1, BigInt(Math.floor(wallUs)))
    Atomics.store(chunk, cell, BigInt(Math.floor(monotonicUs)))
  }

  lose(slot: number): void {
    Atomics.store(this.#chunkOf(slot), cellOf(slot), LOST)
  }

  /** Makes a slot ready for its next lease. */
  clear(slot: number): void {
    Atomics.store(this.#chunkOf(slot), cellOf(slot), UNTOLD)
  }

  /** Changes with every write for the lease. */
  stamp(slot: number): bigint {
    return Atomics.load(this.#chunkOf(slot), cellOf(slot))
  }

  /** The deadline for a stamp of that slot; undefined before the first write for the lease. */
  read(slot: number, stamp: bigint): Instant | 'lost' | undefined {
    if (stamp === UNTOLD) return undefined
    if (stamp === LOST) return 'lost'
    const wallUs = Atomics.load(this.#chunkOf(slot), cellOf(slot) + 1)
    return { monotonicUs: Number(stamp), wallUs: Number(wallUs) }
  }

  #chunkOf(slot: number): BigInt64Array {
    const chunk = this.#chunks[Math.floor(slot / SLOTS_PER_CHUNK)]
    if (!chunk) throw new RangeError(`slot ${slot} is in none of the ${this.#chunks.length} chunks`)
    return chunk
  }
}

function cellOf(slot: number): number {
  return (slot % SLOTS_PER_CHUNK) * CELLS_PER_SLOT
}
