import { AsyncLocalStorage } from 'node:async_hooks'
import { ClosedError } from '../../base/errors/errors.js'
import { begin } from '../../base/identity/begin.js'
import type { Owner } from '../../base/identity/owner.js'
import { checkFence } from '../../kinds/fencing/fence.js'
import type { Hold } from '../../kinds/hold.js'

/**
 * Why a term has ended. `'lost'`: the lock was lost, and another candidate may lead already. `'resigned'`: by `resign()`, `stop()` or the
 * candidate's signal. `'failed'`: `onElected` rejected. `'closed'`: the `Holdfast` was closed.
 */
export type TermEnd = 'lost' | 'resigned' | 'failed' | 'closed'

/** Whose callbacks the running code belongs to: a term is not over before they are, so they must not wait for its end. */
const terms = new AsyncLocalStorage<Term>()

/** One tenure as the leader: from the election until the loss or the release of the lock. */
export class Term {
  /** The election's name. */
  readonly name: string
  /** The owner as which this candidate leads. */
  readonly owner: Owner
  /**
   * The fencing token of the term, greater than that of every term before. A resource that refuses smaller ones is safe from leaders that
   * do not know yet that they are none.
   */
  readonly fence: bigint
  /** @internal How it has ended. */
  readonly ended: Promise<{ readonly end: TermEnd; readonly error: unknown }>
  /** @internal Settles when the lock is given back, or surely lost. */
  over: Promise<void> = Promise.resolve()
  readonly #hold: Hold
  readonly #controller = new AbortController()
  #settle: ((outcome: { end: TermEnd; error: unknown }) => void) | undefined

  /** @internal */
  constructor(hold: Hold) {
    this.name = hold.name
    this.owner = hold.owner
    this.fence = checkFence(hold.fence)
    this.#hold = hold
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    const { signal } = hold
    const lost = (): void => this.end(signal.reason instanceof ClosedError ? 'closed' : 'lost', signal.reason)
    if (signal.aborted) lost()
    else signal.addEventListener('abort', lost, { once: true })
  }

  /**
   * Aborts when the term ends: with the `LockLostError` if the lock was lost, always before another candidate can be elected; with a
   * `ClosedError`; or with an `AbortError` if the leader resigned. Pass it to everything that a leader does.
   */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** How long this candidate certainly leads without another renewal, in milliseconds; 0 after the end. Sends nothing. */
  remainingMs(): number {
    return this.signal.aborted ? 0 : this.#hold.remainingMs()
  }

  /**
   * Returns if this candidate still leads; call it right before a step that only the leader may take. Compares clocks itself, like
   * `hold.assertHeld()`.
   *
   * @throws the reason of `signal` if the term has ended.
   */
  assertLeading(): void {
    if (!this.signal.aborted) this.#hold.assertHeld()
    this.signal.throwIfAborted()
  }

  /** A text by which a resource can check with `holdfast.checkSequencer(text)` that this same term still lasts. */
  sequencer(): string {
    return this.#hold.sequencer()
  }

  /**
   * Ends the term: `signal` aborts at once, and the next candidate is elected when `onElected` and `onRevoked` have settled. This one
   * stands again, behind those who wait. A second call does nothing more.
   *
   * @returns when the next candidate may be elected. In `onElected`, `onRevoked` and what they have begun: at once, because the term waits
   *   for them.
   */
  async resign(): Promise<void> {
    this.end('resigned', undefined)
    if (!this.runsThis) await this.over
  }

  /** @internal Once. */
  end(end: TermEnd, error: unknown): void {
    if (this.signal.aborted) return
    if (end === 'lost' || end === 'closed') this.#controller.abort(error)
    else this.#controller.abort()
    this.#settle?.({ end, error })
  }

  /** @internal Whether the running code belongs to a callback of this term. */
  get runsThis(): boolean {
    return terms.getStore() === this
  }

  /** @internal Runs what the leader does, as the lock's owner. */
  run(body: () => unknown): Promise<unknown> {
    return this.tell(() => this.#hold.run(body))
  }

  /** @internal Runs a callback of this term. */
  tell<Result>(callback: () => Result): Result | Promise<Awaited<Result>> {
    return terms.run(this, begin, callback)
  }
}
