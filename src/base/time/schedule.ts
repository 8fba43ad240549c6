import { type Clock, checkedTime, type Timer } from './clock.js'
import { setImmediate } from './machine-time.js'

/** Something that is due at a time. Made by {@link Schedule.at}. */
export interface TimerHandle {
  readonly dueAt: number
}

/** What is due at a time may be made of it, so that it needs no object besides: see {@link Schedule.set}. */
export abstract class Alarm implements TimerHandle {
  /** Where it stands in the heap; -1 when it does not. Only the schedule writes it, and `dueAt`. */
  place = -1
  dueAt = Infinity
  abstract ring(): void
}

class Callback extends Alarm {
  constructor(private readonly callback: () => void) {
    super()
  }

  ring(): void {
    this.callback()
  }
}

/**
 * All that is due in one client, in one heap behind one timer: ends of leases, ends of waits, deadlines of commands, ticks of
 * the watchdog. An hundred thousand held locks thus cost one timer, and an acquire that waits for nothing costs none.
 */
export class Schedule {
  readonly #heap: Alarm[] = []
  #timer: Timer | undefined
  #timerDueAt = Infinity
  #running = false

  constructor(
    readonly clock: Clock,
    /** Told of what a callback throws: nothing may be thrown from a timer. */
    readonly onError: (error: unknown) => void,
  ) {}

  /** How many timers stand. */
  get size(): number {
    return this.#heap.length
  }

  at(dueAt: number, callback: () => void): TimerHandle {
    const alarm = new Callback(callback)
    this.set(alarm, dueAt)
    return alarm
  }

  /** Has it ring at that time, once; not at the time that was set before. Infinity: never. What is no time is refused with a `RangeError`. */
  set(alarm: Alarm, dueAt: number): void {
    if (alarm.place >= 0) {
      this.move(alarm, dueAt)
      return
    }
    alarm.dueAt = checkedTime(dueAt)
    alarm.place = this.#heap.length
    this.#heap.push(alarm)
    this.#rise(alarm)
    this.#arm()
  }

  /** Calls back when this turn of the event loop is over, whatever the time. */
  afterTurn(callback: () => void): void {
    const { clock, onError } = this
    const guarded = (): void => {
      try {
        callback()
      } catch (error) {
        onError(error)
      }
    }
    if (clock.afterTurn) clock.afterTurn(guarded)
    else setImmediate(guarded)
  }

  /** Moves an handle that still stands; one that is past or cancelled stays so. */
  move(handle: TimerHandle, dueAt: number): void {
    if (!this.#stands(handle)) return
    const later = checkedTime(dueAt) > handle.dueAt
    handle.dueAt = dueAt
    if (later) this.#sink(handle)
    else this.#rise(handle)
    this.#arm()
  }

  cancel(handle: TimerHandle | undefined): void {
    if (!handle || !this.#stands(handle)) return
    this.#remove(handle)
    this.#arm()
  }

  /** @throws RangeError if the alarm stands in another schedule: here it would take the place of another alarm, which would never ring */
  #stands(handle: TimerHandle): handle is Alarm {
    if (!(handle instanceof Alarm) || handle.place < 0) return false
    if (this.#heap[handle.place] === handle) return true
    throw new RangeError('an alarm of another schedule')
  }

  /** Cancels everything. */
  clear(): void {
    for (const entry of this.#heap) entry.place = -1
    this.#heap.length = 0
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerDueAt = Infinity
  }

  #runDue(): void {
    this.#timer = undefined
    this.#timerDueAt = Infinity
    this.#running = true
    try {
      for (let first = this.#heap[0]; first && first.dueAt <= this.clock.now(); first = this.#heap[0]) {
        this.#remove(first)
        try {
          first.ring()
        } catch (error) {
          this.onError(error)
        }
      }
    } finally {
      this.#running = false
      this.#arm()
    }
  }

  /** Keeps the one timer on the first handle. It may stand too early (then it finds nothing due), never too late. */
  #arm(): void {
    if (this.#running) return
    const first = this.#heap[0]
    // With nothing due the timer is left standing: a call that needs none but for its command's deadline would stop and start one.
    if (first && first.dueAt < this.#timerDueAt) {
      this.#timer?.cancel()
      this.#timerDueAt = first.dueAt
      this.#timer = this.clock.startTimer(() => this.#runDue(), Math.max(first.dueAt - this.clock.now(), 0))
    }
  }

  #remove(entry: Alarm): void {
    const last = this.#heap.pop()
    const place = entry.place
    entry.place = -1
    if (!last || last === entry) return
    this.#put(last, place)
    this.#sink(last)
    this.#rise(last)
  }

  #put(entry: Alarm, place: number): void {
    this.#heap[place] = entry
    entry.place = place
  }

  #rise(entry: Alarm): void {
    while (entry.place > 0) {
      const above = this.#heap[(entry.place - 1) >> 1]
      if (!above || above.dueAt <= entry.dueAt) return
      this.#swap(above, entry)
    }
  }

  #sink(entry: Alarm): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1]
      const right = this.#heap[2 * entry.place + 2]
      const earlier = right && left && right.dueAt < left.dueAt ? right : left
      if (!earlier || earlier.dueAt >= entry.dueAt) return
      this.#swap(entry, earlier)
    }
  }

  #swap(upper: Alarm, lower: Alarm): void {
    const place = upper.place
    this.#put(upper, lower.place)
    this.#put(lower, place)
  }
}

/** Resolves when that time has passed; never, if the schedule is cleared before. */
export function pause(schedule: Schedule, pauseMs: number): Promise<void> {
  return new Promise((resolve) => schedule.at(schedule.clock.now() + pauseMs, resolve))
}
