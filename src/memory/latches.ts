import type { Clock } from '../time/clock.js'
import { MemoryAnnouncements } from './announcements.js'
import { AnsweredRequests } from './answered-requests.js'

/** What a server would keep of count-down latches: the count of each that is closed. */
export class MemoryLatches {
  readonly announcements = new MemoryAnnouncements()
  readonly answered: AnsweredRequests
  readonly #counts = new Map<string, number>()

  constructor(clock: Clock) {
    this.answered = new AnsweredRequests(clock)
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  close(name: string, count: number): void {
    this.#counts.set(name, count)
    this.announcements.announce(name)
  }

  countDown(name: string): number {
    const left = this.count(name) - 1
    if (left > 0) this.#counts.set(name, left)
    else this.open(name)
    return Math.max(left, 0)
  }

  /** Tells whether it was closed. */
  open(name: string): boolean {
    if (!this.#counts.delete(name)) return false
    this.announcements.announce(name, { room: Infinity })
    return true
  }
}
