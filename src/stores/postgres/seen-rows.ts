import type { Schedule } from '../../base/time/schedule.js'
import type { Versioned } from '../rows/rows.js'

/**
 * Rows that came with a refusal, for the change that follows at once. They last until the end of this turn of the event loop: a later call
 * must not see a state from before it began.
 */
export class SeenRows {
  readonly #rows = new Map<string, Versioned>()

  constructor(private readonly schedule: Schedule) {}

  add(name: string, row: Versioned): void {
    if (this.#rows.size === 0) this.schedule.afterTurn(() => this.#rows.clear())
    this.#rows.set(name, row)
  }

  /** Returns each once. */
  take(name: string): Versioned | undefined {
    const row = this.#rows.get(name)
    this.#rows.delete(name)
    return row
  }
}
