import { checkFence, type Fence } from './fence.js'
import { StaleFenceError } from './stale-fence-error.js'

/**
 * Keeps late writers from resources in memory: it remembers the greatest fencing token it has seen, for each resource, and
 * refuses smaller ones. The same token may come as often as it likes.
 *
 * It remembers for as long as it lives: it must be where the resource is and live as long, not with the holders.
 */
export class FenceGuard {
  readonly #seen = new Map<string, bigint>()

  /** @param name how the guarded thing is to be named in errors. */
  constructor(private readonly name = 'FenceGuard') {}

  /**
   * Returns if no greater token was seen, and remembers this one. To be called right before the write, with nothing awaited
   * between the two.
   *
   * @throws {@link StaleFenceError} if a greater token was seen.
   * @throws `InvalidArgumentError` if it is no token.
   */
  check(fence: Fence, resource = ''): void {
    const offered = checkFence(fence)
    const seen = this.#seen.get(resource)
    if (seen !== undefined && offered < seen)
      throw new StaleFenceError(resource === '' ? this.name : resource, offered, seen)
    this.#seen.set(resource, offered)
  }

  /**
   * Runs `body` if no greater token was seen. A body that awaits before it writes is to `check` again after that.
   *
   * @returns what `body` returns.
   * @throws {@link StaleFenceError} if a greater token was seen; `body` was not run.
   */
  run<Result>(fence: Fence, body: () => Result, resource = ''): Result {
    this.check(fence, resource)
    return body()
  }

  /** The greatest token seen. */
  seen(resource = ''): bigint | undefined {
    return this.#seen.get(resource)
  }

  /** Forgets a resource that is gone for good. Until then each takes its place in memory. */
  forget(resource: string): void {
    this.#seen.delete(resource)
  }
}
