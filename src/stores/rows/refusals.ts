import type { Clock } from '../../base/time/clock.js'

/** Longer than the longest pause between two attempts of a call that polls. */
const REMEMBERED_MS = 1_000

/** For how long a process may take a lock again and again that others want. */
const SLICE_MS = 200

/**
 * Locks that the store lately refused to polling calls. Until it grants one, or nobody has asked for a while, it probably refuses the next
 * attempt too.
 */
export class Refusals {
  /** The time of each lock's last refusal, the oldest first. */
  readonly #at = new Map<string, number>()
  /** The time of the grant of those that the store has granted since. */
  readonly #grantedAt = new Map<string, number>()

  constructor(private readonly clock: Clock) {}

  has(name: string): boolean {
    this.#forgetOld()
    return this.#at.has(name) && !this.#grantedAt.has(name)
  }

  add(name: string): void {
    this.#grantedAt.delete(name)
    this.#at.delete(name)
    this.#at.set(name, this.clock.now())
  }

  granted(name: string): void {
    if (this.#at.has(name) && !this.#grantedAt.has(name)) this.#grantedAt.set(name, this.clock.now())
  }

  /** Whether others have had the lock lately, which may ask again, and this process has had it for its share of the time since. */
  isTurnOver(name: string): boolean {
    this.#forgetOld()
    return this.clock.now() - (this.#grantedAt.get(name) ?? Infinity) >= SLICE_MS
  }

  #forgetOld(): void {
    const latest = this.clock.now() - REMEMBERED_MS
    for (const [name, at] of this.#at) {
      if (at > latest) return
      this.#at.delete(name)
      this.#grantedAt.delete(name)
    }
  }
}
