/** Far enough that it never fires; its only use is that it exists. */
const NEVER_MS = 2 ** 31 - 1

/**
 * Keeps the process alive while somebody awaits something of this client, and only then: sockets and timers of Holdfast do not
 * count, so a process with nothing else to do may end while its client is idle.
 */
export class KeepAlive {
  #pending = 0
  #anchor: NodeJS.Timeout | undefined

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pending += 1
    this.#anchor ??= setTimeout(() => undefined, NEVER_MS)
    try {
      return await work()
    } finally {
      this.#pending -= 1
      if (this.#pending === 0) {
        clearTimeout(this.#anchor)
        this.#anchor = undefined
      }
    }
  }
}
