import { ClosedError, LockLostError } from '../../../src/index.js'
import { now, type Told } from '../history/event.js'
import type { AnyHold } from './handles.js'

type Asked = Pick<AnyHold, 'signal' | 'remainingMs' | 'assertHeld'> & { readonly fence?: bigint | undefined }

/**
 * One section while it runs: what it writes down, from its entry to its exit. What its hold says counts from before it was asked: a process
 * that is stopped between the two would else seem to have been certain for longer than its hold said.
 */
export class Presence {
  #lost = false
  readonly #lose = (): void => {
    if (!this.#lost) this.write({ e: 'lost', c: this.c })
    this.#lost = true
  }

  /**
   * @param hold undefined: what it holds cannot be asked.
   * @param certainMs how long that is certain then
   */
  constructor(
    private readonly c: number,
    readonly names: readonly string[],
    private readonly hold: Asked | undefined,
    private readonly certainMs: number,
    private readonly write: (told: Told, at?: number) => void,
  ) {}

  /** @param name which stripe, where any was asked for */
  enter(name: string | undefined): void {
    const { c, hold } = this
    const at = now()
    const fence = hold?.fence?.toString()
    this.write({ e: 'enter', c, left: finite(hold?.remainingMs() ?? this.certainMs), fence, name }, at)
    hold?.signal.addEventListener('abort', this.#lose, { once: true })
    if (hold?.signal.aborted) this.#lose()
  }

  /** Whether the hold says that it stands; that is written down. */
  look(): boolean {
    const { c, hold } = this
    if (this.#lost || !hold) return !this.#lost
    const at = now()
    try {
      hold.assertHeld()
      this.write({ e: 'holds', c, left: finite(hold.remainingMs()) }, at)
    } catch (error) {
      if (!(error instanceof LockLostError) && !(error instanceof ClosedError))
        this.write({ e: 'wrong', what: `assertHeld: ${String(error)}` })
      this.#lose()
    }
    return !this.#lost
  }

  exit(): void {
    this.hold?.signal.removeEventListener('abort', this.#lose)
    this.write({ e: 'exit', c: this.c })
  }
}

/** JSON knows no Infinity. */
function finite(ms: number): number {
  return Math.min(ms, 1e9)
}
