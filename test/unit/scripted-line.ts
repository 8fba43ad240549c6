import type { LineState, StoreLine } from '../../src/store.js'

/** A line in a store that does nothing by itself: the test answers each look by hand. */
export class ScriptedLine implements StoreLine {
  readonly waiterLeaseMs = 300
  readonly #looks: Array<{ answer(state: LineState): void; fail(error: unknown): void }> = []

  keepUp(_name: string): Promise<LineState> {
    return new Promise((resolve, reject) => {
      this.#looks.push({ answer: resolve, fail: reject })
    })
  }

  /** How often it was looked at. */
  get looks(): number {
    return this.#looks.length
  }

  answer(remainingMs: number, askAgain = false): void {
    this.#looks.at(-1)?.answer({ remainingMs, askAgain })
  }

  fail(): void {
    this.#looks.at(-1)?.fail(new Error('on purpose'))
  }
}
