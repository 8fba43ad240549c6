import { InvalidArgumentError } from '../../base/errors/errors.js'
import { StaleFenceError } from '../../base/errors/stale-fence-error.js'
import type { Guarded, GuardedPort } from '../../port/kind-ports.js'
import { checkFence, type Fence } from './fence.js'

/** Runs a request that a caller awaits: keeps the process alive meanwhile, and rejects once the client is closed. */
export type Query = <Result>(ask: () => Promise<Result>) => Promise<Result>

/**
 * A value in the store that late writers cannot change: each write carries the writer's fencing token, and the server refuses one with a
 * smaller token than the value has seen, in one step.
 */
export class GuardedValue {
  readonly #port: GuardedPort
  readonly #query: Query

  /** @internal */
  constructor(
    /** Its key in the store, without the client's `keyPrefix`. */
    readonly key: string,
    port: GuardedPort,
    query: Query,
  ) {
    this.#port = port
    this.#query = query
  }

  /** The value and the token it was written with; `undefined` if there is none. */
  get(): Promise<Guarded | undefined> {
    return this.#query(() => this.#port.readGuarded(this.key))
  }

  /**
   * Writes the value with the token of the writer's hold.
   *
   * @throws {@link StaleFenceError} if the value has seen a greater token. Nothing was changed.
   * @throws `InvalidArgumentError` if `fence` is not a token, or `value` not a string.
   * @throws `StoreError` if the store failed. If it is `transient` the outcome is unknown; it is safe to write the same again.
   */
  async set(value: string, fence: Fence): Promise<void> {
    if (typeof value !== 'string') throw new InvalidArgumentError('value', value, 'a string')
    await this.#write(value, fence)
  }

  /**
   * Removes the value and keeps the token, so that a late writer cannot bring the value back.
   *
   * @throws as `set`.
   */
  async delete(fence: Fence): Promise<void> {
    await this.#write(undefined, fence)
  }

  async #write(value: string | undefined, fence: Fence): Promise<void> {
    const offered = checkFence(fence)
    const seen = await this.#query(() => this.#port.writeGuarded(this.key, offered, value))
    if (seen !== undefined) throw new StaleFenceError(this.key, offered, seen)
  }
}
