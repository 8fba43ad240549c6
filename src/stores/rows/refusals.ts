import type { Clock } from '../../base/time/clock.js'

/** Longer than the longest pause between two attempts of a call that polls. */
const REMEMBERED_MS = 1_000

/** For how long a process may take a lock again and again that others want. */
const SLICE_MS = 200

/**
 * Locks that were refused lately to calls that ask again and again: until one is granted, or nobody has asked for a while, the next attempt
 * is likely to be refused as well.
 */
export class Refusals {
  /** When each was refused last, the oldest first. */
  readonly #at = new Map<string, number>()
  /** Of those, the ones that were granted since: from when on. */
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
