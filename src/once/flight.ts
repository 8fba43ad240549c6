import type { Scope } from '../owner.js'
import type { Landing } from './landing.js'

/** One way to a value that is under way in this process; calls for the same key wait for its end. */
export class Flight {
  /** What the computation runs in, once it has begun. */
  scope: Scope | undefined
  #land: ((landing: Landing | undefined) => void) | undefined
  /** Its end: undefined when nothing came of it. Never rejects: a failure is its own caller's. */
  readonly landing = new Promise<Landing | undefined>((resolve) => {
    this.#land = resolve
  })

  /** The first call counts. */
  land(landing: Landing | undefined): void {
    this.#land?.(landing)
  }
}
