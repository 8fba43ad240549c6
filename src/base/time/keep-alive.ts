import { LONGEST_TIMER_MS } from './clock.js'
import { clearInterval, setInterval } from './machine-time.js'

/**
 * Keeps the process alive while somebody awaits something of this client, and only then: sockets and timers of Holdfast do not
 * count, so a process with nothing else to do may end while its client is idle.
 */
export class KeepAlive {
  #pending = 0
  /** One timer for good: to tell an existing one that it counts costs less than to start one for each call. */
  #anchor: NodeJS.Timeout | undefined

  /** Somebody awaits something, until {@link leave}. */
  enter(): void {
    this.#pending += 1
    if (this.#pending > 1) return
    // It hardly ever fires; its only use is that it exists.
    this.#anchor ??= setInterval(() => undefined, LONGEST_TIMER_MS)
    this.#anchor.ref()
  }

  leave(): void {
    this.#pending -= 1
    if (this.#pending === 0) this.#anchor?.unref()
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.enter()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /** Nothing will be awaited any more. */
  end(): void {
    clearInterval(this.#anchor)
    this.#anchor = undefined
  }
}
