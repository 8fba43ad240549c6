import { type Clock, checkedTime, type Timer } from './clock.js'
import { setImmediate } from './machine-time.js'

class VirtualTimer implements Timer {
  cancelled = false
  constructor(
    readonly dueAt: number,
    readonly callback: () => void,
  ) {}

  cancel(): void {
    this.cancelled = true
  }
}

/**
 * Time that passes only when told to: leases, waits and renewals of locks in a `MemoryStore` on this clock can be tested to the
 * millisecond, without waiting.
 */
export class VirtualClock implements Clock {
  #now = 0
  #timers: VirtualTimer[] = []
  /** How much waits for the end of a turn of the event loop. */
  #turns = 0

  now(): number {
    return this.#now
  }

  /** Timers that stand. */
  get timers(): number {
    this.#timers = this.#timers.filter(({ cancelled }) => !cancelled)
    return this.#timers.length
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    const timer = new VirtualTimer(checkedTime(this.#now + Math.max(delayMs, 0)), callback)
    this.#timers.push(timer)
    return timer
  }

  afterTurn(callback: () => void): void {
    this.#turns += 1
    setImmediate(() => {
      this.#turns -= 1
      callback()
    })
  }

  /**
   * Lets `ms` milliseconds pass: every timer due in them fires at its time, in order, and what it set off is carried on as far
   * as it goes without more time.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await this.#settle()
    for (let next = this.#takeDue(end); next; next = this.#takeDue(end)) {
      this.#now = Math.max(this.#now, next.dueAt)
      next.callback()
      await this.#settle()
    }
    this.#now = end
  }

  /** Lets time pass without letting anything run: what a blocked event loop or a sleeping machine does. */
  skip(ms: number): void {
    this.#now += ms
  }

  #takeDue(end: number): VirtualTimer | undefined {
    let first: VirtualTimer | undefined
    for (const timer of this.#timers) {
      if (!timer.cancelled && timer.dueAt <= end && (!first || timer.dueAt < first.dueAt)) first = timer
    }
    this.#timers = this.#timers.filter((timer) => timer !== first && !timer.cancelled)
    return first
  }

  /** Waits until all that can go on without time passing has gone on: a macrotask comes after all microtasks. */
  async #settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#turns > 0)
  }
}
