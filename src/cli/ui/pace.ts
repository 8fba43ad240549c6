import { setTimeout as sleep } from 'node:timers/promises'

/** So many commands a second and no more, however many loops send them. */
export class PerSecond {
  /** When all that were granted have had their time. */
  #freeAtMs = 0

  constructor(private readonly commands: number) {}

  /** Settles when these may go; rejects once the signal aborts. */
  async take(commands: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    const atMs = Math.max(nowMs, this.#freeAtMs)
    this.#freeAtMs = atMs + (commands * 1_000) / this.commands
    await sleep(atMs - nowMs, undefined, { signal })
  }
}
