import type { Holdfast } from '../../../src/index.js'
import type { Told } from '../history/event.js'
import type { Numbers } from './numbers.js'
import { outcomeOf } from './outcome.js'
import type { ResizeStep } from './step.js'

/** Changes numbers of permits and makes up for it, and writes both down. */
export class Resizing {
  constructor(
    private readonly holdfast: Holdfast,
    private readonly numbers: Numbers,
    private readonly write: (told: Told) => void,
  ) {}

  /** @param between what is done while the number is another */
  async carryOut(step: ResizeStep, between: () => Promise<void>): Promise<void> {
    const { first, by } = step
    // What nobody knows to be done is not made up for: programs that may be cut short only ever leave too many permits behind.
    const changed =
      first === 'drain' ? await this.#drain(step) : await this.#change(step, first === 'add' ? by : -by)
    if (changed === undefined) return
    await between()
    await this.#change(step, -changed)
  }

  async #drain({ name }: ResizeStep): Promise<number | undefined> {
    return await this.#told(
      name,
      undefined,
      async () => -(await this.holdfast.semaphore(name).drainPermits()),
    )
  }

  async #change({ kind, name }: ResizeStep, by: number): Promise<number | undefined> {
    if (by === 0) return undefined
    const semaphore =
      kind === 'semaphore' ? this.holdfast.semaphore(name) : this.holdfast.permitExpirableSemaphore(name)
    return await this.#told(name, by, async () => {
      await (by > 0 ? semaphore.addPermits(by) : semaphore.reducePermits(-by))
      return by
    })
  }

  /** Undefined: it is not known whether it was done. */
  async #told(name: string, by: number | undefined, act: () => Promise<number>): Promise<number | undefined> {
    this.numbers.changes += 1
    const n = this.numbers.changes
    this.write({ e: 'resize', n, name, by })
    try {
      const done = await act()
      this.write({ e: 'resized', n, by: done })
      return done
    } catch (error) {
      if (outcomeOf(error) === undefined)
        this.write({ e: 'wrong', what: `resize of ${name}: ${String(error)}` })
      return undefined
    }
  }
}
