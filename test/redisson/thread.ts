import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holdfast } from '../../src/index.js'

/**
 * What a Java thread is in Redisson's tests: a logical thread, here a `holdfast.run` scope that stays open until it is ended and
 * does what it is told meanwhile. To be started outside any scope, or it would be a part of that.
 */
export class Thread {
  readonly #within: <Result>(step: () => Result) => Result
  readonly #leave: () => void
  readonly #left: Promise<void>

  private constructor(
    within: <Result>(step: () => Result) => Result,
    leave: () => void,
    left: Promise<void>,
  ) {
    this.#within = within
    this.#leave = leave
    this.#left = left
  }

  static async start(holdfast: Holdfast): Promise<Thread> {
    return await new Promise((resolve) => {
      const { promise: told, release: leave } = gate()
      const left = holdfast.run(async () => {
        const within = AsyncLocalStorage.snapshot()
        queueMicrotask(() => resolve(new Thread((step) => within(step), leave, left)))
        await told
      })
    })
  }

  /** Takes one step as this thread. */
  async do<Result>(step: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    return await this.#within(step)
  }

  /** Ends the thread, as returning from `run` does. */
  async end(): Promise<void> {
    this.#leave()
    await this.#left
  }
}

/** A promise that is resolved when told. */
function gate(): { promise: Promise<void>; release: () => void } {
  let release = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    release = resolve
  })
  return { promise, release }
}
