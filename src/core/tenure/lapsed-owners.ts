import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'

/**
 * Owners that have lost a lock by time. The store has it down to them for a while yet: for what lies between the holder's
 * reckoning and its own, for a renewal whose answer never came, for a quarantine. Would one of them ask under its own name, that
 * would look like its first request, repeated, and the answer would be the tenure that it has lost, with that one's fencing token.
 * Until the store has let go for certain they are known to it by other names.
 */
export class LapsedOwners {
  readonly #until = new Map<Owner, number>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  add(owner: Owner, untilMs: number): void {
    const now = this.clock.now()
    for (const [lapsed, until] of this.#until) {
      if (until > now) break
      this.#until.delete(lapsed)
    }
    this.#until.delete(owner)
    this.#until.set(owner, untilMs)
  }

  has(owner: Owner): boolean {
    if (this.#until.size === 0) return false
    return (this.#until.get(owner) ?? -Infinity) > this.clock.now()
  }
}
