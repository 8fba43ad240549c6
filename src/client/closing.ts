import { checkObject, whole } from '../base/checks/checks.js'
import { KeepAlive } from '../base/time/keep-alive.js'
import { withDeadline } from '../base/time/with-deadline.js'
import type { Kinds } from './registry.js'

/** How a `Holdfast` ends. Times are whole milliseconds. */
export interface CloseOptions {
  /**
   * How long running sections and unreleased holds may continue. Holdfast renews and releases them as usual, and they may re-enter the
   * locks that they hold; calls under way that do not wait (`tryAcquire()`, `job()`) get their answers. Holdfast refuses every new call,
   * and ends those that wait. The client closes as soon as it holds nothing, however much of this time is left. Minimum: 0.
   * @default 0: their signals abort at once
   */
  readonly drainMs?: number
  /**
   * How long the store has, after that, to answer the releases under way and the requests that undo calls cut short. A lock whose
   * request it has not answered by then ends with its lease. If `close()` is called several times, the first call's value counts.
   * Minimum: 0.
   * @default 5000
   */
  readonly timeoutMs?: number
}

/** Closed connections reject the commands under way; to close them, and to handle these rejections, may take so long before calls end anyway. */
const AFTERMATH_MS = 500

/** The end of a client: one for all calls of `close()`. */
export class Closing {
  readonly #keepAlive = new KeepAlive()
  #work: Promise<void> | undefined
  #over = false
  #endDrain: (() => void) | undefined
  readonly #drainEnded = new Promise<void>((resolve) => {
    this.#endDrain = resolve
  })

  constructor(private readonly kinds: Kinds) {}

  /** Whether the session was told to close. */
  sessionClosed = false

  /** Whether `close()` was called. */
  get begun(): boolean {
    return this.#work !== undefined
  }

  /** A later call can shorten the draining, but never prolong it. */
  by(given: CloseOptions): Promise<void> {
    const options = checkObject('options', given, ['drainMs', 'timeoutMs'])
    const drainMs = whole('drainMs', options.drainMs, 0) ?? 0
    const timeoutMs = whole('timeoutMs', options.timeoutMs, 0) ?? 5_000
    const { schedule } = this.kinds
    if (drainMs === 0) this.#endDrain?.()
    else if (!this.#over) schedule.at(schedule.clock.now() + drainMs, () => this.#endDrain?.())
    this.#work ??= this.#keepAlive
      .during(() => this.#run(drainMs > 0, timeoutMs))
      .finally(() => this.#keepAlive.end())
    return this.#work
  }

  async #run(drains: boolean, timeoutMs: number): Promise<void> {
    const { kinds } = this
    const { schedule, session } = kinds
    if (drains) await Promise.race([kinds.drain(), this.#drainEnded])
    const settled = kinds.close()
    await withDeadline(schedule, timeoutMs, settled)
    kinds.giveUp()
    this.sessionClosed = true
    const closed = session.close()
    try {
      await withDeadline(schedule, AFTERMATH_MS, closed)
      await withDeadline(schedule, AFTERMATH_MS, settled)
    } finally {
      // Soon no timer will end anything: what is awaited still has to end now.
      await kinds.end()
    }
    await closed
    this.#over = true
    schedule.clear()
  }
}
