import { change } from './change.js'
import { whole } from './checks.js'
import type { Locker } from './core/locker.js'
import { Entry, type EntryTerms } from './entry.js'
import type { Hold } from './hold.js'
import type { SemaphorePort } from './kind-ports.js'
import { checkPermits, checkPermitsOptions, type PermitsOptions } from './permits-options.js'
import type { Section } from './section.js'
import type { LockState } from './store.js'

/**
 * A number of permits, for what so many may do at once. Whoever takes some has them for as long as a lock is held: until the hold is
 * given back, or its lease ends. Redisson's `RSemaphore` of the same name is the same semaphore. A cheap handle.
 */
export class Semaphore {
  /** The semaphore's name. */
  readonly name: string
  readonly #entry: Entry
  readonly #locker: Locker
  readonly #port: SemaphorePort

  /** @internal */
  constructor(name: string, terms: EntryTerms, port: SemaphorePort) {
    this.name = name
    this.#entry = new Entry(name, terms)
    this.#locker = terms.locker
    this.#port = port
  }

  /**
   * Sets how many permits there are, where that was not set yet. Until then there are none.
   *
   * @param options `ttlMs`: after so long the semaphore is gone, with all that was taken from it. Minimum: 1.
   * @returns whether it was set now.
   */
  async trySetPermits(permits: number, options: { readonly ttlMs?: number } = {}): Promise<boolean> {
    checkPermits('permits', permits, 1)
    const ttlMs = whole('ttlMs', options.ttlMs, 1)
    return await change(this.#locker, (request) =>
      this.#port.trySetPermits(this.name, permits, request, ttlMs),
    )
  }

  /** Adds permits for good, and lets in who may enter now. */
  async addPermits(permits: number): Promise<void> {
    await this.#add(checkPermits('permits', permits, 1))
  }

  /** Takes permits away for good, also such as are taken at the moment: then less than none may be available for a while. */
  async reducePermits(permits: number): Promise<void> {
    await this.#add(-checkPermits('permits', permits, 1))
  }

  /**
   * Takes all permits that are available, for good: no hold stands for them.
   *
   * @returns how many; less than 0 after a reduction that was not yet made up for, which then is.
   */
  async drainPermits(): Promise<number> {
    return await change(this.#locker, (request) => this.#port.drainPermits(this.name, request))
  }

  /** How many permits are available: 0 where none were ever set, less after a reduction below what is taken. */
  async availablePermits(): Promise<number> {
    return await this.#locker.query(() => this.#port.availablePermits(this.name))
  }

  /**
   * Takes permits, waiting for them as long as `waitMs` says (default: as long as it takes).
   *
   * @returns the hold, which gives all of them back.
   * @throws `LockTimeoutError` if they were not obtained within `waitMs`; otherwise as `Lock.acquire`.
   */
  async acquire(options: PermitsOptions = {}): Promise<Hold> {
    const { lock, permits } = checkPermitsOptions(options)
    return await this.#entry.acquire(lock, permits)
  }

  /**
   * Takes permits if they are to be had within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` when not so many are available.
   */
  async tryAcquire(options: PermitsOptions = {}): Promise<Hold | null> {
    const { lock, permits } = checkPermitsOptions(options)
    return await this.#entry.tryAcquire(lock, permits)
  }

  /** Takes permits, runs `body`, and gives them back when it has settled; errors as with `Lock.withLock`. */
  withPermits<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withPermits<Result>(options: PermitsOptions, body: Section<Result>): Promise<Awaited<Result>>
  withPermits<Result>(
    optionsOrBody: PermitsOptions | Section<Result>,
    body?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /** As `withPermits`, by the name it has with every kind of lock. */
  withLock<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: PermitsOptions, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: PermitsOptions | Section<Result>,
    body?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /**
   * Gives permits for which no hold of Holdfast's stands, as `release` does in Java: without an acquire before it there is one more
   * permit. What a hold has taken is given back by the hold.
   */
  async release(permits = 1): Promise<void> {
    await this.#add(checkPermits('permits', permits, 1))
  }

  /** As `release`, but not where no number of permits is set; tells whether one is. */
  async releaseIfExists(permits = 1): Promise<boolean> {
    checkPermits('permits', permits, 1)
    return await change(this.#locker, (request) => this.#port.addPermitsIfSet(this.name, permits, request))
  }

  /** Who holds permits, how many (`holds`), and how long until the first lease ends. Redisson's holders are not known. */
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
    return await this.#entry.withLock(lock, body, permits)
  }

  async #add(delta: number): Promise<void> {
    await change(this.#locker, (request) => this.#port.addPermits(this.name, delta, request))
  }
}
