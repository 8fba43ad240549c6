import type { Clock } from './clock.js'
import type { Body } from './library.js'
import type { Recorder } from './recorder.js'

/** One waiter: asks for sections one after the other and records them. Nothing is allocated for a section here. */
export class Task {
  readonly body: Body
  sections = 0
  readonly #now: Clock
  #requestedAt = 0

  constructor(
    readonly waiter: number,
    sectionMs: 0 | 1,
    recorder: Recorder | undefined,
    now: Clock,
  ) {
    this.#now = now
    const leave = (enteredAt: number): void => {
      this.sections += 1
      recorder?.add(waiter, this.#requestedAt, enteredAt, now())
    }
    this.body =
      sectionMs === 0
        ? () => {
            leave(now())
            return undefined
          }
        : () => {
            const enteredAt = now()
            return new Promise((resolve) => {
              setTimeout(() => {
                leave(enteredAt)
                resolve()
              }, sectionMs)
            })
          }
  }

  /** To be called right before the lock is asked for. */
  asks(): void {
    this.#requestedAt = this.#now()
  }
}
