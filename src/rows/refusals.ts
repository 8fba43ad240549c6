import type { Clock } from '../time/clock.js'

/** Longer than the longest pause between two attempts of a call that polls. */
const REMEMBERED_MS = 1_000

/**
 * Locks that were refused lately to calls that ask again and again: until one is granted, or nobody has asked for a while, the next attempt
 * is likely to be refused as well.
 */
export class Refusals {
  /** When each was refused last, the oldest first. */
  readonly #at = new Map<string, number>()

  constructor(private readonly clock: Clock) {}

  has(name: string): boolean {
    this.#forgetOld()
    return this.#at.has(name)
  }

  add(name: string): void {
    this.#at.delete(name)
    this.#at.set(name, this.clock.now())
  }

  delete(name: string): void {
    this.#at.delete(name)
  }

  #forgetOld(): void {
    const latest = this.clock.now() - REMEMBERED_MS
    for (const [name, at] of this.#at) {
      if (at > latest) return
      this.#at.delete(name)
    }
  }
}
