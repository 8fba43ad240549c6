import type { Linked } from '../../base/collections/linked-set.js'
import type { Owner, Scope } from '../../base/identity/owner.js'
import type { Schedule } from '../../base/time/schedule.js'
import { WakeUpSemaphore } from '../../base/waiting/wake-up.js'
import type { Call } from '../acquire/call.js'
import type { HoldRecord } from '../tenure/tenure.js'

/** Told apart by identity: the time a waiter had for something is over. */
export const TIME_IS_UP: unique symbol = Symbol('time is up')

/** Between a call of several locks and what it does for each lie more frames than are kept by default. */
const FRAMES = 40

/** The stack of the running code, for people. */
export function calledFrom(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Math.max(stackTraceLimit, FRAMES)
  try {
    return new Error('called here').stack
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

let arrivals = 0

/**
 * One call that wants the lock. It does one thing at a time, and whatever that is ends at once when the call is cancelled
 * (abort, close), and in time when its deadline passes (rule W5). What the queue, the policies and the call's own loop know of it is in one object,
 * because each call makes one.
 */
export class Waiter extends WakeUpSemaphore implements Linked<Waiter> {
  readonly startedAt: number
  /** When its wait is over. */
  readonly deadline: number
  /** Whether it makes one attempt and does not wait. */
  readonly once: boolean
  /** Whether it has a request under way. */
  attempting = false
  /** The promise that its call awaits. A sibling that awaits it too goes on after the call itself. */
  acting: Promise<unknown> | undefined
  /**
   * Whether it only waits, so that the lock may be handed to it. A waiter that has just woken may still be handed the lock: it takes that before it
   * does anything else. (Whoever takes a lock and gives it back at once does so while the next in line wakes to see to the watch.)
   */
  resting = false
  /** The hold that was handed to it, to be used or given back. */
  handedOff: HoldRecord | undefined
  /** Whether the lock is on its way to it: then it asks for nothing itself. */
  handOffPending = false
  /** The owner it last asked the store as. */
  askedAs: Owner | undefined
  /** Whether it runs within a section that its owner has on the other side of the lock: then it waits for none of its siblings. */
  within = false
  /** Whether it counts among the calls that wait, of which there are so many at most. */
  counts = false
  /** Calls are numbered as they come. */
  readonly arrival: number
  /** Whether its call has ended. */
  gone = false
  /** Its neighbours in the queue. */
  before: Waiter | undefined
  behind: Waiter | undefined
  #cancellation: { readonly reason: unknown } | undefined
  #interrupt: ((reason: unknown) => void) | undefined
  #rouse: (() => void) | undefined

  constructor(
    readonly call: Call,
    readonly schedule: Schedule,
    /** Where the call was made, when diagnostics are on. */
    readonly calledAt?: string | undefined,
  ) {
    super()
    this.startedAt = schedule.clock.now()
    this.deadline = this.startedAt + call.waitMs
    this.once = call.waitMs === 0 || call.once === true
    arrivals += 1
    this.arrival = arrivals
  }

  get caller(): Scope {
    return this.call.caller
  }

  /** Ends the call: what it waits for now, or would wait for next, rejects with `reason`. */
  cancel(reason: unknown): void {
    if (this.#cancellation) return
    this.#cancellation = { reason }
    this.resting = false
    this.#interrupt?.(reason)
  }

  get cancelled(): boolean {
    return this.#cancellation !== undefined
  }

  throwIfCancelled(): void {
    if (this.#cancellation) throw this.#cancellation.reason
  }

  /** The lock is handed to this waiter, which must be resting or have a hand-off pending: it gets up and finds it. */
  receive(grant: HoldRecord): void {
    this.handedOff = grant
    this.handOffPending = false
    this.resting = false
    this.#rouse?.()
  }

  /** Sleeps until the next permit, and at most until `wakeAt`, or until it is handed the lock. */
  sleep(wakeAt: number): Promise<undefined> {
    if (this.#cancellation) return Promise.reject(this.#cancellation.reason)
    if (this.takePermit()) return Promise.resolve(undefined)
    this.resting = true
    return this.#until(wakeAt, undefined, (end) => this.sleepOn(() => end(undefined)))
  }

  /** The outcome of `work`, or {@link TIME_IS_UP}; the work itself goes on. Rejects when the call is cancelled. */
  upTo<Result>(deadline: number, work: Promise<Result>): Promise<Result | typeof TIME_IS_UP> {
    this.throwIfCancelled()
    this.resting = false
    return this.#until<Result | typeof TIME_IS_UP>(deadline, TIME_IS_UP, (end, fail) => work.then(end, fail))
  }

  /** Ends with what comes first: the outcome of what it begins, that time or a hand-over (then the result is `late`), or the cancellation. */
  #until<Result>(
    time: number,
    late: Result,
    begin: (end: (result: Result) => void, fail: (reason: unknown) => void) => void,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      /** False when another end came first. */
      const ends = (): boolean => {
        if (this.#interrupt !== fail) return false
        this.#interrupt = undefined
        this.#rouse = undefined
        this.getUp()
        this.schedule.cancel(alarm)
        return true
      }
      const end = (result: Result): void => {
        if (ends()) resolve(result)
      }
      const fail = (reason: unknown): void => {
        if (ends()) reject(reason)
      }
      this.#interrupt = fail
      this.#rouse = () => end(late)
      const alarm = time === Infinity ? undefined : this.schedule.at(time, this.#rouse)
      begin(end, fail)
    })
  }

  /** As {@link upTo}, for work that only prepares the waiting: the lock may be handed over meanwhile, which ends it too. */
  restUpTo<Result>(deadline: number, work: Promise<Result>): Promise<Result | typeof TIME_IS_UP> {
    const outcome = this.upTo(deadline, work)
    this.resting = true
    return outcome
  }
}
