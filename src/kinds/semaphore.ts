import type { Locker } from '../core/locker.js'
import { Acquirer, type KindContext } from '../facade/acquirer.js'
import { change } from '../facade/apply-once.js'
import { whole } from '../facade/checks.js'
import { checkPermits, checkPermitsOptions, type PermitsOptions } from '../facade/permits-options.js'
import type { Section } from '../facade/section.js'
import type { SemaphorePort } from '../ports/kind-ports.js'
import type { LockState } from '../ports/lock-port.js'
import type { Hold } from './hold.js'

/**
 * A number of permits that limits how many may work at once. A hold keeps its permits until it is released or its lease ends.
 * Redisson's `RSemaphore` of the same name is the same semaphore. A cheap handle.
 */
export class Semaphore {
  /** The semaphore's name. */
  readonly name: string
  readonly #acquirer: Acquirer
  readonly #locker: Locker
  readonly #port: SemaphorePort

  /** @internal */
  constructor(name: string, terms: KindContext, port: SemaphorePort) {
    this.name = name
    this.#acquirer = new Acquirer(name, terms)
    this.#locker = terms.locker
    this.#port = port
  }

  /**
   * Sets the number of permits if it is not set yet. Until then there are none.
   *
   * @param options `ttlMs`: after this time the semaphore expires, with all its holds. Minimum: 1.
   * @returns whether this call set it.
   */
  async trySetPermits(permits: number, options: { readonly ttlMs?: number } = {}): Promise<boolean> {
    checkPermits('permits', permits, 1)
    const ttlMs = whole('ttlMs', options.ttlMs, 1)
    return await change(this.#locker, (request) =>
      this.#port.trySetPermits(this.name, permits, request, ttlMs),
    )
  }

  /** Adds permits permanently, and wakes waiters that may now enter. */
  async addPermits(permits: number): Promise<void> {
    await this.#add(checkPermits('permits', permits, 1))
  }

  /** Removes permits permanently. If the new number is lower than the number taken, availability is negative for a while. */
  async reducePermits(permits: number): Promise<void> {
    await this.#add(-checkPermits('permits', permits, 1))
  }

  /**
   * Takes all available permits permanently, without a hold.
   *
   * @returns how many it took; negative if availability was negative after a reduction, which it resets to 0.
   */
  async drainPermits(): Promise<number> {
    return await change(this.#locker, (request) => this.#port.drainPermits(this.name, request))
  }

  /** The number of available permits: 0 if none were ever set, negative if the number is lower than the number taken. */
  async availablePermits(): Promise<number> {
    return await this.#locker.query(() => this.#port.availablePermits(this.name))
  }

  /**
   * Takes permits, and waits for them for at most `waitMs` (default: without limit).
   *
   * @returns the hold; its release returns all of them.
   * @throws `LockTimeoutError` if the call did not get them within `waitMs`; otherwise as `Lock.acquire`.
   */
  async acquire(options: PermitsOptions = {}): Promise<Hold> {
    const { lock, permits } = checkPermitsOptions(options)
    return await this.#acquirer.acquire(lock, permits)
  }

  /**
   * Takes permits if enough are available within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` if not enough are available.
   */
  async tryAcquire(options: PermitsOptions = {}): Promise<Hold | null> {
    const { lock, permits } = checkPermitsOptions(options)
    return await this.#acquirer.tryAcquire(lock, permits)
  }

  /** Takes permits, runs `body`, and returns them when it has settled; errors as with `Lock.withLock`. */
  withPermits<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withPermits<Result>(options: PermitsOptions, body: Section<Result>): Promise<Awaited<Result>>
  withPermits<Result>(
    optionsOrBody: PermitsOptions | Section<Result>,
    body?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /** The same as `withPermits`, under the name that every kind of lock has. */
  withLock<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: PermitsOptions, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: PermitsOptions | Section<Result>,
    body?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /**
   * Returns permits that belong to no hold of Holdfast's, as `release` does in Java: without an earlier acquire it adds permits. To
   * return the permits of a hold, release the hold.
   */
  async release(permits = 1): Promise<void> {
    await this.#add(checkPermits('permits', permits, 1))
  }

  /** As `release`, but only if a number of permits is set; returns whether one is. */
  async releaseIfExists(permits = 1): Promise<boolean> {
    checkPermits('permits', permits, 1)
    return await change(this.#locker, (request) => this.#port.addPermitsIfSet(this.name, permits, request))
  }

  /** The holders of permits, how many each has (`holds`), and the time until the first lease ends. Redisson's holders are unknown. */
  async inspect(): Promise<LockState> {
    return await this.#locker.inspect(this.name)
  }

  /** How many clients wait for permits. One process counts once, however many of its calls wait. */
  async countWaitingClients(): Promise<number> {
    return await this.#locker.query(() => this.#port.countWatchers(this.name))
  }

  async #section<Result>(
    optionsOrBody: PermitsOptions | Section<Result>,
    bodyOrNothing: Section<Result> | undefined,
  ): Promise<Awaited<Result>> {
    const [options, body] =
      typeof optionsOrBody === 'function' ? [{}, optionsOrBody] : [optionsOrBody, bodyOrNothing]
    const { lock, permits } = checkPermitsOptions(options)
    return await this.#acquirer.withLock(lock, body, permits)
  }

  async #add(delta: number): Promise<void> {
    await change(this.#locker, (request) => this.#port.addPermits(this.name, delta, request))
  }
}
