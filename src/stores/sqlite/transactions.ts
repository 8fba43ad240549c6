import { BackOff } from '../../base/time/back-off.js'
import { queueMicrotask } from '../../base/time/machine-time.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import { type About, closedError } from '../../port/failure.js'
import type { StoreSettings } from '../../port/store.js'
import type { Database } from './database.js'
import { failureOf, isDriverError, isLocked, timeoutOf } from './failure.js'

/** Does its part of a transaction. It returns a function that gives the result after the commit. */
export type Work<Result> = (database: Database) => () => Result

/** What frames the work of each transaction. */
export interface Frame {
  /** The open database; opens it where it is not. */
  open(): Database
  begun(database: Database): void
  committed(): void
  /** Nothing of the transaction stays, and the connection may be of no use any more. */
  failed(): void
}

interface Entry {
  readonly about: About
  readonly withinMs: number
  readonly until: number
  /** Does the work. Returns a function that settles the call. */
  perform(database: Database): () => void
  reject(error: unknown): void
}

/** The most calls in one transaction, which others have to wait for. */
const LARGEST = 128

/** How often it lets other work of this process run before it pauses: another process's transaction takes a fraction of a millisecond. */
const QUICK_LOOKS = 8

const PAUSES = new BackOff({ firstPauseMs: 0.5, longestPauseMs: 20, factor: 1.5 })

/**
 * The transactions of one client. All requests of one turn of the event loop become one transaction, and reach the disk together: to renew a
 * hundred leases costs as much as to renew one. A locked file makes it try again until `commandTimeoutMs` have passed.
 */
export class Transactions {
  #queue: Entry[] = []
  #planned = false
  #closed = false
  #timer: TimerHandle | undefined
  /** How often in a row it found the file locked. */
  #refusals = 0

  constructor(
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
    private readonly frame: Frame,
  ) {}

  /** Whether no request waits to be done. */
  get idle(): boolean {
    return this.#queue.length === 0 && !this.#closed
  }

  add<Result>(
    about: About,
    work: Work<Result>,
    withinMs: number = this.settings.commandTimeoutMs,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(closedError(about))
        return
      }
      this.#queue.push({
        about,
        withinMs,
        until: this.settings.schedule.clock.now() + withinMs,
        perform: (database) => {
          let finish: () => Result
          try {
            finish = work(database)
          } catch (error) {
            // An error of one call fails that call alone; an error of SQLite fails all.
            if (isDriverError(error)) throw error
            return () => reject(error)
          }
          return () => {
            try {
              resolve(finish())
            } catch (error) {
              reject(error)
            }
          }
        },
        reject,
      })
      if (this.#planned) return
      this.#planned = true
      queueMicrotask(() => this.#run())
    })
  }

  /** Rejects what is under way. */
  close(): void {
    this.#closed = true
    this.settings.schedule.cancel(this.#timer)
    for (const { about, reject } of this.#queue.splice(0)) reject(closedError(about))
  }

  #run(): void {
    this.#planned = false
    const batch = this.#queue.slice(0, LARGEST)
    if (batch.length === 0) return
    try {
      const settle = this.#transact(batch)
      this.#queue.splice(0, batch.length)
      this.#refusals = 0
      for (const each of settle) each()
    } catch (error) {
      if (isLocked(error)) {
        this.#waitFor(error)
        return
      }
      this.#queue.splice(0, batch.length)
      this.frame.failed()
      for (const { about, reject } of batch) reject(failureOf(error, about))
    }
    if (this.#queue.length > 0) this.#planAfterTurn()
  }

  #transact(batch: readonly Entry[]): Array<() => void> {
    const database = this.frame.open()
    database.begin()
    let settle: Array<() => void>
    try {
      this.frame.begun(database)
      settle = batch.map(({ perform }) => perform(database))
      database.commit()
    } catch (error) {
      database.rollback()
      throw error
    }
    this.frame.committed()
    return settle
  }

  /** Another process's transaction is under way, mostly for a fraction of a millisecond. */
  #waitFor(cause: unknown): void {
    const { schedule } = this.settings
    const now = schedule.clock.now()
    const late = this.#queue.filter(({ until }) => until <= now)
    this.#queue = this.#queue.filter(({ until }) => until > now)
    for (const { about, withinMs, reject } of late) reject(timeoutOf(about, withinMs, cause))
    if (this.#queue.length === 0) return
    this.#refusals += 1
    if (this.#refusals <= QUICK_LOOKS) {
      this.#planAfterTurn()
      return
    }
    this.#planned = true
    const pauseMs = PAUSES.pauseMs(this.#refusals - QUICK_LOOKS, Math.random())
    const [first] = this.#queue
    this.#timer = schedule.at(Math.min(now + pauseMs, first?.until ?? now), () => this.#run())
  }

  #planAfterTurn(): void {
    this.#planned = true
    this.settings.schedule.afterTurn(() => this.#run())
  }
}
