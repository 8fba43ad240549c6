import { uptime } from 'node:os'
import { clearImmediate, clearTimeout, machineTime, setImmediate, setTimeout } from './machine-time.js'

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
  /** Calls back when the present turn of the event loop is over. The event loop's own way where absent. */
  afterTurn?(callback: () => void): void
}

/** The time, unless it is none. One NaN in a heap of times would keep all others from their turn: it is neither before nor after any of them. */
export function checkedTime(ms: number): number {
  if (Number.isNaN(ms)) throw new RangeError('A timer was asked for at a time that is no number.')
  return ms
}

/** How far the wall clock may run ahead of the monotonic one before it counts as time that really passed. */
const WALL_TOLERANCE_MS = 50

/** The longest delay a Node timer takes; longer ones fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A timer of this machine looks at the time again after at most so long: its monotonic clock may have stood still meanwhile. */
const LONGEST_SLEEP_MS = 1_000

/**
 * A jump ahead puts the clock right that differs from the jump back by no more than this part of it, and no more than that: the
 * clock drifts meanwhile, and some systems tell their sleep in whole seconds.
 */
const PUT_RIGHT_PART = 0.1
const PUT_RIGHT_MS = 1_000

/**
 * Adds to monotonic time what only the wall clock saw. While a machine sleeps its monotonic clock stands still on Linux, but
 * the leases in the store run on: so when the wall clock has jumped ahead of the monotonic one, the jump counts (rule L3). A
 * wall clock that was set back counts for nothing, and neither does one that is then set forward by as much at once. By any other
 * amount it may be a virtual machine that stood still, which its system does not know: to take a clock that was put right in steps
 * for a pause costs a lock, the reverse its exclusion. The small differences of two clocks read in turn count for nothing either.
 */
export class LeaseTime {
  #skippedMs = 0
  #lowestOffset: number | undefined
  /** By how much the wall clock was set back, as far as that was not put right. */
  #setBackMs = 0

  /** @param sleptMs how long the machine has slept since this was last asked, as far as its system knows */
  constructor(private readonly sleptMs: () => number = () => 0) {}

  /** Whether these readings show the wall clock ahead of where it was. */
  jumps(monotonicMs: number, wallMs: number): boolean {
    return this.#lowestOffset !== undefined && wallMs - monotonicMs > this.#lowestOffset + WALL_TOLERANCE_MS
  }

  at(monotonicMs: number, wallMs: number): number {
    const offset = wallMs - monotonicMs
    const aheadMs = offset - (this.#lowestOffset ?? offset)
    if (aheadMs > WALL_TOLERANCE_MS) this.#skip(aheadMs)
    else if (aheadMs < -WALL_TOLERANCE_MS) this.#setBackMs -= aheadMs
    if (aheadMs <= 0 || aheadMs > WALL_TOLERANCE_MS) this.#lowestOffset = offset
    return monotonicMs + this.#skippedMs
  }

  /** The wall clock is ahead by so much: the machine slept, or the clock was put right, or both. */
  #skip(aheadMs: number): void {
    const sleptMs = Math.min(this.sleptMs(), aheadMs)
    const toleranceMs = Math.min(this.#setBackMs * PUT_RIGHT_PART, PUT_RIGHT_MS)
    const putRight = Math.abs(aheadMs - sleptMs - this.#setBackMs) < toleranceMs
    this.#skippedMs += putRight ? Math.max(aheadMs - this.#setBackMs, sleptMs) : aheadMs
    if (putRight) this.#setBackMs = 0
  }
}

/** How much further the system's own count of time has come than the monotonic clock: what the machine has slept. */
export function sleepMeter(): () => number {
  const aheadMs = (): number => uptime() * 1_000 - machineTime.monotonicMs()
  let before = aheadMs()
  return () => {
    const now = aheadMs()
    const sleptMs = Math.max(now - before, 0)
    before = now
    return sleptMs
  }
}

/** The clocks of this machine. */
export class SystemClock implements Clock {
  readonly #time: LeaseTime
  readonly #timers = new Set<SystemTimer>()

  /** @param sleptMs see {@link LeaseTime} */
  constructor(sleptMs?: () => number) {
    this.#time = new LeaseTime(sleptMs)
  }

  now(): number {
    const monotonicMs = machineTime.monotonicMs()
    const wallMs = machineTime.wallMs()
    if (!this.#time.jumps(monotonicMs, wallMs)) return this.#time.at(monotonicMs, wallMs)
    // A process that was interrupted between the two readings sees a jump that is none: it looks once more.
    const now = this.#time.at(machineTime.monotonicMs(), machineTime.wallMs())
    for (const timer of this.#timers) timer.look(now)
    return now
  }

  startTimer(callback: () => void, delayMs: number): Timer {
    return new SystemTimer(this, delayMs, callback, this.#timers)
  }
}

/** Fires when the time has come by the lease clock, also where the timers of the machine stood still meanwhile. */
class SystemTimer implements Timer {
  readonly #dueAt: number
  #timeout: NodeJS.Timeout | undefined
  #look: NodeJS.Immediate | undefined

  constructor(
    private readonly clock: Clock,
    delayMs: number,
    private readonly callback: () => void,
    /** Those that stand. */
    private readonly timers: Set<SystemTimer>,
  ) {
    this.#dueAt = checkedTime(clock.now() + delayMs)
    timers.add(this)
    this.#sleep(delayMs)
  }

  /** The time is now that. */
  look(now: number): void {
    if (now < this.#dueAt || this.#look) return
    clearTimeout(this.#timeout)
    this.#fire()
  }

  cancel(): void {
    this.timers.delete(this)
    clearTimeout(this.#timeout)
    clearImmediate(this.#look)
  }

  #sleep(leftMs: number): void {
    const last = leftMs <= LONGEST_SLEEP_MS
    const sleepMs = last ? Math.max(Math.ceil(leftMs), 0) : LONGEST_SLEEP_MS
    this.#timeout = setTimeout(() => (last ? this.#fire() : this.#wake()), sleepMs)
    this.#timeout.unref()
  }

  #wake(): void {
    const leftMs = this.#dueAt - this.clock.now()
    // A jump that this look found has fired it.
    if (!this.#look) this.#sleep(leftMs)
  }

  /**
   * When the event loop was blocked, timers run before the answers that came meanwhile are read. What was answered in time must
   * not count as late, so those are read first.
   */
  #fire(): void {
    this.#look = setImmediate(() => {
      this.timers.delete(this)
      this.callback()
    })
  }
}
