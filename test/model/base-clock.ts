import type { Clock, Timer } from '../../src/base/time/clock.js'

/** The time of the modelled world: goes on only when the model says so, and one timer at a time, so that each can be checked. */
export class BaseClock implements Clock {
  readonly #timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>()
  #now = 0

  now(): number {
    return this.#now
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    const timer = { dueAt: this.#now + Math.max(delayMs, 0), callback }
    this.#timers.add(timer)
    return { cancel: () => this.#timers.delete(timer) }
  }

  /** When the first timer is due; Infinity when none is. */
  get nextDueAt(): number {
    return Math.min(...[...this.#timers].map(({ dueAt }) => dueAt))
  }

  /** Goes on to the first timer due by `until` and fires it; without one, goes on to `until` and says so. */
  fireNext(until: number): boolean {
    const due = [...this.#timers].filter(({ dueAt }) => dueAt <= until)
    const [first] = due.sort((one, other) => one.dueAt - other.dueAt)
    this.#now = Math.max(this.#now, first?.dueAt ?? until)
    if (!first) return false
    this.#timers.delete(first)
    first.callback()
    return true
  }
}

/** A thousandth of a millisecond: a timer never fires before its time for a rounding error. */
const GRAIN_MS = 0.001

/** One client's clock: a little faster or slower than the world's, and its event loop can stand still while the world goes on. */
export class ClientClock implements Clock {
  #late: Array<() => void> | undefined

  constructor(
    private readonly base: BaseClock,
    private readonly rate: number,
  ) {}

  now(): number {
    return this.base.now() * this.rate
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    let cancelled = false
    const once = (): void => {
      if (!cancelled) callback()
    }
    const timer = this.base.startTimer(() => this.deliver(once), delayMs / this.rate + GRAIN_MS)
    return {
      cancel: () => {
        cancelled = true
        timer.cancel()
      },
    }
  }

  get paused(): boolean {
    return this.#late !== undefined
  }

  /** The event loop stands still: timers and news come in, but nobody looks. */
  pause(): void {
    this.#late ??= []
  }

  /** What happens to this client: now, or when its event loop runs again. */
  deliver(happening: () => void): void {
    if (this.#late) this.#late.push(happening)
    else happening()
  }

  /** Runs again: first the timers and messages that came in meanwhile, each with all it sets off. */
  async resume(settle: () => Promise<void>): Promise<void> {
    for (let next = this.#late?.shift(); next; next = this.#late?.shift()) {
      next()
      await settle()
    }
    this.#late = undefined
  }
}
