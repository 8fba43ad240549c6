import type { Scheduler } from 'fast-check'

/** One direction of one connection: each step is a task of its own for the scheduler, and they are taken first in, first out. */
export class Lane {
  readonly #steps: Array<() => void> = []

  constructor(
    private readonly scheduler: Scheduler,
    /** Without order, as when each command had a connection of its own. */
    private readonly ordered: boolean,
  ) {}

  get size(): number {
    return this.#steps.length
  }

  send(label: string, step: () => void): void {
    this.#steps.push(step)
    void this.scheduler.schedule(Promise.resolve(), label).then(() => {
      const next = this.ordered ? this.#steps[0] : step
      if (!next) return
      this.#steps.splice(this.#steps.indexOf(next), 1)
      next()
    })
  }
}
