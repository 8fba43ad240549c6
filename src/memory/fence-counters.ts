import type { Clock } from '../time/clock.js'

interface Counter {
  readonly last: bigint
  readonly expiresAt: number
}

/** The last token given for each lock of a store: all its clients share them. */
export class FenceCounters {
  readonly #counters = new Map<string, Counter>()

  constructor(private readonly clock: Clock) {}

  last(name: string): bigint | undefined {
    const counter = this.#counters.get(name)
    if (counter && counter.expiresAt > this.clock.now()) return counter.last
    this.#counters.delete(name)
    return undefined
  }

  /** As `lua/fenced-acquire.lua` mints: one more than the last, and no less than the clock where counters do not last for ever. */
  mint(name: string, retentionMs: number): bigint {
    const now = this.clock.now()
    const next = (this.last(name) ?? 0n) + 1n
    const least = Number.isFinite(retentionMs) ? BigInt(Math.floor(now * 1_000)) : 1n
    const minted = next > least ? next : least
    this.#counters.set(name, { last: minted, expiresAt: now + retentionMs })
    return minted
  }
}
