import { StaleFenceError } from '../../base/errors/stale-fence-error.js'
import { checkFence, type Fence } from './fence.js'

/**
 * Protects resources in memory from late writers: it remembers the greatest fencing token it has seen for each resource, and
 * refuses smaller ones. It accepts the same token any number of times.
 *
 * It remembers as long as it lives, so keep it with the resource, for as long as the resource lives, and not with the holders.
 */
export class FenceGuard {
  readonly #seen = new Map<string, bigint>()

  /** @param name the name of the guarded resource in errors. */
  constructor(private readonly name = 'FenceGuard') {}

  /**
   * Returns if it has seen no greater token, and remembers this one. Call it right before the write, and await nothing between the
   * two.
   *
   * @throws {@link StaleFenceError} if it has seen a greater token.
   * @throws `InvalidArgumentError` if `fence` is not a token.
   */
  check(fence: Fence, resource = ''): void {
    const offered = checkFence(fence)
    const seen = this.#seen.get(resource)
    if (seen !== undefined && offered < seen)
      throw new StaleFenceError(resource === '' ? this.name : resource, offered, seen)
    this.#seen.set(resource, offered)
  }

  /**
   * Runs `body` if it has seen no greater token. A body that awaits before it writes must `check` again after that.
   *
   * @returns the result of `body`.
   * @throws {@link StaleFenceError} if it has seen a greater token; `body` did not run.
   */
  run<Result>(fence: Fence, body: () => Result, resource = ''): Result {
    this.check(fence, resource)
    return body()
  }

  /** The greatest token that it has seen. */
  seen(resource = ''): bigint | undefined {
    return this.#seen.get(resource)
  }

  /** Forgets a deleted resource. Until then each resource takes memory. */
  forget(resource: string): void {
    this.#seen.delete(resource)
  }
}
