import type { Clock } from '../time/clock.js'
import { MemoryAnnouncements } from './announcements.js'
import { AnsweredRequests } from './answered-requests.js'

/** Taken permits, and when their lease ends. */
export interface Taken {
  readonly permits: number
  endsAt: number
}

/** One semaphore in the store: available permits, and taken ones by owner. */
export class MemorySemaphore {
  readonly taken = new Map<string, Taken>()

  constructor(
    public available: number,
    /** When it is gone, with all that was taken from it. */
    readonly goneAt: number,
  ) {}

  /** Gives back what each of them has taken; returns how many permits those were. */
  giveBack(takers: Iterable<string>): number {
    let permits = 0
    for (const taker of takers) {
      permits += this.taken.get(taker)?.permits ?? 0
      this.taken.delete(taker)
    }
    this.available += permits
    return permits
  }
}

/** What a server would keep of semaphores of one kind. */
export class MemorySemaphores {
  readonly announcements = new MemoryAnnouncements()
  readonly answered: AnsweredRequests
  readonly #semaphores = new Map<string, MemorySemaphore>()

  constructor(readonly clock: Clock) {
    this.answered = new AnsweredRequests(clock)
  }

  /** The semaphore, with the permits of ended leases given back; undefined where none is set. */
  find(name: string): MemorySemaphore | undefined {
    const semaphore = this.#semaphores.get(name)
    const now = this.clock.now()
    if (semaphore && semaphore.goneAt <= now) {
      this.#semaphores.delete(name)
      return undefined
    }
    const ended = [...(semaphore?.taken ?? [])].filter(([, { endsAt }]) => endsAt <= now)
    if (semaphore && semaphore.giveBack(ended.map(([taker]) => taker)) > 0) this.announce(name, semaphore)
    return semaphore
  }

  create(name: string, permits: number, ttlMs = Infinity): MemorySemaphore {
    const semaphore = new MemorySemaphore(permits, this.clock.now() + ttlMs)
    this.#semaphores.set(name, semaphore)
    return semaphore
  }

  /** Returns how many clients receive the number of available permits. */
  announce(name: string, { available }: MemorySemaphore): number {
    return this.announcements.announce(name, { room: available })
  }

  names(): string[] {
    return [...this.#semaphores.keys()].filter((name) => this.find(name))
  }
}
