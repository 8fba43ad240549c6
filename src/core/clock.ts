/** A timer that was started and may be stopped. */
export interface Timer {
  cancel(): void
}

/**
 * The time a lock lives by. `now()` never goes back and counts at least as fast as real time; its zero means nothing, only
 * differences do.
 */
export interface Clock {
  /** Milliseconds, possibly fractional. */
  now(): number
  /** Calls back once, not before `delayMs` have passed by `now()` but for rounding. Does not keep the process alive. */
  startTimer(callback: () => void, delayMs: number): Timer
}

/** How far the wall clock may run ahead of the monotonic one before it counts as time that really passed. */
const WALL_TOLERANCE_MS = 50

/** The longest delay a Node timer takes; longer ones fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Adds to monotonic time what only the wall clock saw. While a machine sleeps its monotonic clock stands still on Linux, but
 * the leases in the store run on: so when the wall clock has jumped ahead of the monotonic one, the jump counts (rule L3). A
 * wall clock that was set back counts for nothing, and neither do the small differences of two clocks read in turn.
 */
export class LeaseTime {
  #skippedMs = 0
  #lowestOffset = Number.POSITIVE_INFINITY

  /** Whether these readings show the wall clock ahead of where it was. */
  jumps(monotonicMs: number, wallMs: number): boolean {
    return wallMs - monotonicMs > this.#lowestOffset + WALL_TOLERANCE_MS
  }

  at(monotonicMs: number, wallMs: number): number {
    const offset = wallMs - monotonicMs
    if (this.jumps(monotonicMs, wallMs)) {
      this.#skippedMs += offset - this.#lowestOffset
      this.#lowestOffset = offset
    } else if (offset < this.#lowestOffset) {
      this.#lowestOffset = offset
    }
    return monotonicMs + this.#skippedMs
  }
}

/** The clocks of this machine. */
export class SystemClock implements Clock {
  readonly #time = new LeaseTime()

  now(): number {
    const monotonicMs = performance.now()
    const wallMs = Date.now()
    // A process that was interrupted between the two readings sees a jump that is none: it looks once more.
    return this.#time.jumps(monotonicMs, wallMs)
      ? this.#time.at(performance.now(), Date.now())
      : this.#time.at(monotonicMs, wallMs)
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    let look: NodeJS.Immediate | undefined
    const timeout = setTimeout(
      () => {
        // When the event loop was blocked, timers run before the answers that came meanwhile are read. What was answered in
        // time must not count as late, so those are read first.
        look = setImmediate(callback)
      },
      Math.min(Math.max(Math.ceil(delayMs), 0), LONGEST_TIMER_MS),
    )
    timeout.unref()
    return {
      cancel: () => {
        clearTimeout(timeout)
        clearImmediate(look)
      },
    }
  }
}
