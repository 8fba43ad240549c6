import { type Holdfast, HoldfastError, StoreError } from '../../../src/index.js'
import { EVERYTHING, type Told } from '../history/event.js'
import type { LatchStep, ResizeStep } from './step.js'

/** What is numbered in a worker, whichever of its clients it belongs to. */
export interface Numbers {
  calls: number
  /** Scopes of `run` are numbered downwards: those of sections have the numbers of their calls. */
  runs: number
  changes: number
}

/** How calls end that were not granted, or whose section or release came to grief, for reasons that belong to programs. */
const EXPECTED = ['LOCK_TIMEOUT', 'LOCK_LOST', 'CLOSED']

/** What an error says, in a word; undefined: no program should meet it. */
export function outcomeOf(error: unknown, signal?: AbortSignal): string | undefined {
  if (signal?.aborted && error === signal.reason) return 'aborted'
  if (error instanceof StoreError) return `store:${error.reason}${error.transient ? '' : ':final'}`
  if (error instanceof HoldfastError && EXPECTED.includes(error.code)) return error.code.toLowerCase()
  return undefined
}

/** What programs do to latches and to the numbers of permits, and write down. */
export class Counts {
  constructor(
    private readonly holdfast: Holdfast,
    private readonly numbers: Numbers,
    private readonly write: (told: Told) => void,
  ) {}

  /**
   * Closes a latch for a while or waits for it. In the history whoever has closed one is inside, and takes all that there is; who waited
   * is let in for a moment.
   * @param between what is done while the latch is closed
   */
  async latch({ name, closes, waitMs }: LatchStep, between: () => Promise<void>): Promise<void> {
    const latch = this.holdfast.countDownLatch(name)
    this.numbers.calls += 1
    const c = this.numbers.calls
    const [way, takes] = closes ? (['trySetCount', EVERYTHING] as const) : (['await', 1] as const)
    const about = { kind: 'latch', way, names: [name], room: EVERYTHING, takes, scope: [], opens: [] }
    this.write({ e: 'call', c, ...about, waitMs: closes ? 0 : waitMs })
    let entered = false
    let how = 'ok'
    try {
      if (!closes) await latch.await({ waitMs })
      if (!closes || (await latch.trySetCount(1))) {
        entered = true
        // It is closed until it is counted down, whatever becomes of this process.
        this.write({ e: 'enter', c, left: 1e9 })
        if (closes) await between()
        this.write({ e: 'exit', c })
        if (closes) await latch.countDown()
      } else how = 'busy'
    } catch (error) {
      how = outcomeOf(error) ?? 'wrong'
      if (how === 'wrong') this.write({ e: 'wrong', what: `${way} of ${name}: ${String(error)}` })
    }
    this.write({ e: entered ? 'done' : 'fail', c, how })
  }

  /**
   * Changes a number of permits and makes up for it.
   * @param between what is done while the number is another
   */
  async resize(step: ResizeStep, between: () => Promise<void>): Promise<void> {
    const { name, first, by } = step
    const drain = async () => -(await this.holdfast.semaphore(name).drainPermits())
    // What nobody knows to be done is not made up for: programs that may be cut short only ever leave too many permits behind.
    const changed =
      first === 'drain'
        ? await this.#told(name, undefined, drain)
        : await this.#change(step, first === 'add' ? by : -by)
    if (changed === undefined) return
    await between()
    await this.#change(step, -changed)
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
