import type { Clock, Timer } from '../../src/base/time/clock.js'

/** Sessions and leases are of whole ticks, and at least two of them. */
const TICK_MS = 1_000
const LEAST_TICKS = 2

/** Something that ends without keep-alives. */
export class Term {
  readonly ttlMs: number
  #endsAt = 0
  #timer: Timer | undefined

  constructor(
    private readonly clock: Clock,
    leastMs: number,
    private readonly onEnd: () => void,
  ) {
    this.ttlMs = Math.max(Math.ceil(leastMs / TICK_MS), LEAST_TICKS) * TICK_MS
    this.extend()
  }

  extend(): void {
    this.stop()
    this.#endsAt = this.clock.now() + this.ttlMs
    this.#timer = this.clock.startTimer(this.onEnd, this.ttlMs)
  }

  get remainingMs(): number {
    return this.#endsAt - this.clock.now()
  }

  stop(): void {
    this.#timer?.cancel()
  }
}
