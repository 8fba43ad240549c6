import { LEAST_LEASE_MS } from '../core/lease/lease.js'
import type { Locker } from '../core/locker.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { PermitNotHeldError } from '../errors/permit-not-held-error.js'
import { Acquirer, type KindContext } from '../facade/acquirer.js'
import { change } from '../facade/apply-once.js'
import { checkFunction, whole } from '../facade/checks.js'
import {
  checkPermits,
  checkPermitsOptions,
  MOST_IDS,
  type PermitsOptions,
} from '../facade/permits-options.js'
import type { PermitExpirableSemaphorePort } from '../ports/kind-ports.js'
import type { LockState } from '../ports/lock-port.js'
import type { Hold } from './hold.js'
import { type PermitsHold, type PermitsSection, withPermitIds } from './permits-hold.js'

/**
 * A number of permits. Each taken permit has an id and a lease, and any program that knows the id can return or prolong it.
 * Redisson's `RPermitExpirableSemaphore` of the same name is the same semaphore. A cheap handle.
 */
export class PermitExpirableSemaphore {
  /** The semaphore's name. */
  readonly name: string
  readonly #acquirer: Acquirer
  readonly #locker: Locker
  readonly #port: PermitExpirableSemaphorePort

  /** @internal */
  constructor(name: string, terms: KindContext, port: PermitExpirableSemaphorePort) {
    this.name = name
    this.#acquirer = new Acquirer(name, terms)
    this.#locker = terms.locker
    this.#port = port
  }

  /** Sets the number of permits if it is not set yet; returns whether this call set it. Until then there are none. */
  async trySetPermits(permits: number, options: { readonly ttlMs?: number } = {}): Promise<boolean> {
    checkPermits('permits', permits, 1)
    const ttlMs = whole('ttlMs', options.ttlMs, 1)
    return await change(this.#locker, (request) =>
      this.#port.trySetPermits(this.name, permits, request, ttlMs),
    )
  }

  /** Sets the number of permits, taken ones included. If lower than the number taken, availability becomes negative. */
  async setPermits(permits: number): Promise<void> {
    checkPermits('permits', permits, 0)
    await change(this.#locker, () => this.#port.setPermits(this.name, permits))
  }

  /** Adds permits permanently, and wakes waiters that may now enter. */
  async addPermits(permits: number): Promise<void> {
    await this.#add(checkPermits('permits', permits, 1))
  }

  /** Removes permits permanently. If the new number is lower than the number taken, availability is negative for a while. */
  async reducePermits(permits: number): Promise<void> {
    await this.#add(-checkPermits('permits', permits, 1))
  }

  /** The number of available permits: 0 if none were ever set, negative if the number is lower than the number taken. */
  async availablePermits(): Promise<number> {
    return await this.#locker.query(() => this.#port.availablePermits(this.name))
  }

  /** The number of taken permits, whatever their owners. */
  async acquiredPermits(): Promise<number> {
    return await this.#locker.query(() => this.#port.acquiredPermits(this.name))
  }

  /** The number of permits, taken ones included. */
  async permits(): Promise<number> {
    return await this.#locker.query(() => this.#port.permits(this.name))
  }

  /**
   * Takes permits, and waits for them for at most `waitMs` (default: without limit).
   *
   * @returns the hold, with their ids; its release returns all of them.
   * @throws `LockTimeoutError` if the call did not get them within `waitMs`; otherwise as `Lock.acquire`.
   */
  async acquire(options: PermitsOptions = {}): Promise<PermitsHold> {
    const { lock, permits } = checkPermitsOptions(options, MOST_IDS)
    return withPermitIds(await this.#acquirer.acquire(lock, permits), permits)
  }

  /** Takes permits if enough are available within `waitMs` (default 0: one attempt); otherwise returns `null`. */
  async tryAcquire(options: PermitsOptions = {}): Promise<PermitsHold | null> {
    const { lock, permits } = checkPermitsOptions(options, MOST_IDS)
    const hold = await this.#acquirer.tryAcquire(lock, permits)
    return hold && withPermitIds(hold, permits)
  }

  /** Takes permits, runs `body`, and returns them when it has settled; errors as with `Lock.withLock`. */
  withPermits<Result>(body: PermitsSection<Result>): Promise<Awaited<Result>>
  withPermits<Result>(options: PermitsOptions, body: PermitsSection<Result>): Promise<Awaited<Result>>
  withPermits<Result>(
    optionsOrBody: PermitsOptions | PermitsSection<Result>,
    body?: PermitsSection<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /** The same as `withPermits`, under the name that every kind of lock has. */
  withLock<Result>(body: PermitsSection<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: PermitsOptions, body: PermitsSection<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: PermitsOptions | PermitsSection<Result>,
    body?: PermitsSection<Result>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /**
   * Returns permits by their ids, at most 10 000, all of them or none, whichever process took them.
   *
   * @throws {@link PermitNotHeldError} if one is not taken, or no longer. Nothing was changed.
   */
  async release(permitIds: string | readonly string[]): Promise<void> {
    const ids = checkPermitIds(permitIds)
    if (!(await this.#release(ids))) throw new PermitNotHeldError(this.name, ids)
  }

  /** As `release`; `false` if one is not taken, or no longer. */
  async tryRelease(permitIds: string | readonly string[]): Promise<boolean> {
    return await this.#release(checkPermitIds(permitIds))
  }

  /**
   * Sets the time left of a permit's lease, longer or shorter, whichever process took it. Waiters learn of an earlier end. A watchdog
   * goes on renewing its own permits.
   *
   * @param leaseMs at least 10; Infinity: the lease never ends.
   * @returns whether the permit is still taken.
   */
  async updateLeaseTime(permitId: string, leaseMs: number): Promise<boolean> {
    const [id] = checkPermitIds(permitId)
    if (leaseMs !== Number.POSITIVE_INFINITY) checkLease(leaseMs)
    return await change(this.#locker, () => this.#port.updateLeaseTime(this.name, id, leaseMs))
  }

  /** The time left of a permit's lease, in milliseconds: Infinity if it never ends, 0 if the permit is not taken, or no longer. */
  async leaseMs(permitId: string): Promise<number> {
    const [id] = checkPermitIds(permitId)
    return await this.#locker.query(() => this.#port.leaseTime(this.name, id))
  }

  /** The taken permits (each as an owner: the id, and `:1`), and the time until the first lease ends. */
  async inspect(): Promise<LockState> {
    return await this.#locker.inspect(this.name)
  }

  /** How many clients wait for permits. One process counts once, however many of its calls wait. */
  async countWaitingClients(): Promise<number> {
    return await this.#locker.query(() => this.#port.countWatchers(this.name))
  }

  async #section<Result>(
    optionsOrBody: PermitsOptions | PermitsSection<Result>,
    bodyOrNothing: PermitsSection<Result> | undefined,
  ): Promise<Awaited<Result>> {
    const [options, body] =
      typeof optionsOrBody === 'function' ? [{}, optionsOrBody] : [optionsOrBody, bodyOrNothing]
    const { lock, permits } = checkPermitsOptions(options, MOST_IDS)
    if (body !== undefined) checkFunction('body', body)
    const section = body && ((hold: Hold) => body(withPermitIds(hold, permits)))
    return await this.#acquirer.withLock(lock, section, permits)
  }

  async #release(ids: readonly string[]): Promise<boolean> {
    return await change(this.#locker, (request) => this.#port.releasePermits(this.name, ids, request))
  }

  async #add(delta: number): Promise<void> {
    await change(this.#locker, (request) => this.#port.addPermits(this.name, delta, request))
  }
}

function checkLease(leaseMs: unknown): void {
  if (whole('leaseMs', leaseMs, LEAST_LEASE_MS) === undefined)
    throw new InvalidArgumentError('leaseMs', leaseMs, 'a number of milliseconds')
}

function checkPermitIds(permitIds: unknown): readonly [string, ...string[]] {
  const given: readonly unknown[] = Array.isArray(permitIds) ? permitIds : [permitIds]
  const ids = given.filter((id) => typeof id === 'string' && /^[0-9a-f]{32}$/.test(id)).map(String)
  const [first, ...rest] = ids
  if (first !== undefined && ids.length <= MOST_IDS && new Set(ids).size === given.length)
    return [first, ...rest]
  throw new InvalidArgumentError(
    'permitIds',
    permitIds,
    `1 to ${MOST_IDS} different ids of permits, each of 32 hexadecimal digits`,
  )
}
