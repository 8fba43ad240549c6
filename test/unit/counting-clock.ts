import type { Clock, Timer } from '../../src/base/time/clock.js'

/** A clock whose timers the test fires by hand, at whatever time. */
export class CountingClock implements Clock {
  readonly timers = new Set<{ readonly delayMs: number; readonly fire: () => void }>()
  started = 0
  time = 0

  now(): number {
    return this.time
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    this.started += 1
    const timer = { delayMs, fire: callback }
    this.timers.add(timer)
    return { cancel: () => this.timers.delete(timer) }
  }

  /** Fires the timers that stand now. */
  fire(): void {
    for (const timer of [...this.timers]) {
      this.timers.delete(timer)
      timer.fire()
    }
  }
}
