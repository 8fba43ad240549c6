import type { StoreLine } from '../store.js'
import type { Outage } from './outage.js'
import type { Appointment, Schedule } from './schedule.js'

/** A place is kept up this often within the time it would last. */
const LOOKS_PER_LEASE = 3
/** After the holder's lease has ended the store is looked at so much later: it counts the lease from later than this side. */
const AFTER_LEASE_MS = 2

/**
 * Keeps the places of this process's waiters in the line of one lock, and sees to it that the line moves on when a holder has died
 * without a release: one command every third of a place's lease, and one when the holder's lease should have ended, however many
 * wait here.
 */
export class LineKeeper {
  #next: Appointment | undefined
  #looking = false
  #lookAgain = false
  #needed = false

  constructor(
    private readonly name: string,
    private readonly line: StoreLine,
    private readonly schedule: Schedule,
    /** How long the store has failed for all that ask for the lock, of which those in line ask by this alone. */
    private readonly outage: Outage,
    private readonly onAskAgain: () => void,
    /** The store has failed: calls in line may be out of patience. */
    private readonly onFailed: () => void,
  ) {}

  /** Somebody stands in line, behind a holder whose lease has `remainingMs` left. */
  keep(remainingMs: number): void {
    if (!this.#needed) this.#plan(remainingMs)
    this.#needed = true
  }

  /** Nobody stands in line any more. */
  rest(): void {
    this.#needed = false
    this.#lookAgain = false
    this.schedule.cancel(this.#next)
    this.#next = undefined
  }

  /** Something was announced, or may have been missed: looks at once. */
  look(): void {
    if (!this.#needed) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.schedule.cancel(this.#next)
    this.#next = undefined
    this.#looking = true
    this.line.keepUp(this.name).then(
      ({ remainingMs, askAgain }) => {
        this.outage.answered()
        this.#settle(remainingMs, askAgain)
      },
      (error: unknown) => {
        const now = this.schedule.clock.now()
        this.outage.failed(error, now)
        this.#settle(this.outage.retryAt(now) - now, false)
        this.onFailed()
      },
    )
  }

  #settle(remainingMs: number, askAgain: boolean): void {
    this.#looking = false
    if (!this.#needed) return
    if (askAgain) this.onAskAgain()
    if (this.#lookAgain) {
      this.#lookAgain = false
      this.look()
    } else {
      this.#plan(remainingMs)
    }
  }

  #plan(remainingMs: number): void {
    this.schedule.cancel(this.#next)
    const inMs = Math.min(this.line.waiterLeaseMs / LOOKS_PER_LEASE, remainingMs + AFTER_LEASE_MS)
    this.#next = this.schedule.at(this.schedule.clock.now() + inMs, () => {
      this.#next = undefined
      this.look()
    })
  }
}
