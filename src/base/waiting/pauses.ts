import type { Schedule } from '../time/schedule.js'

/**
 * Pauses between one try and the next, which all end when there is to be no more trying. (To race each with one promise that stays
 * open for as long as its client would leave something behind every time.)
 */
export class Pauses {
  readonly #ends = new Set<() => void>()
  #over = false

  constructor(private readonly schedule: Schedule) {}

  /** Resolves at that time, or when pauses have ended. */
  until(time: number): Promise<void> {
    if (this.#over) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        this.schedule.cancel(alarm)
        this.#ends.delete(end)
        resolve()
      }
      const alarm = this.schedule.at(time, end)
      this.#ends.add(end)
    })
  }

  /** Ends those that stand and those to come. */
  end(): void {
    this.#over = true
    for (const end of this.#ends) end()
  }
}
