import type { Schedule } from './schedule.js'

/** The pauses between tries. All of them can be cut short, when waiting longer serves nothing. */
export class Pauses {
  readonly #ends = new Set<() => void>()

  constructor(private readonly schedule: Schedule) {}

  /** How many are under way. */
  get size(): number {
    return this.#ends.size
  }

  /** Resolves at that time, or when the pauses are cut short. */
  until(time: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#ends.delete(end)
        this.schedule.cancel(alarm)
        resolve()
      }
      const alarm = this.schedule.at(time, end)
      this.#ends.add(end)
    })
  }

  /** Ends those that are under way now. */
  cutShort(): void {
    for (const end of [...this.#ends]) end()
  }
}
