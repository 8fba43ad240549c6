import { InvalidArgumentError } from '../base/errors/errors.js'
import { PermitNotHeldError } from '../base/errors/permit-not-held-error.js'
import { permitIdsOf } from '../base/identity/permit-ids.js'
import type { Locker } from '../core/locker.js'
import type { PermitExpirableSemaphorePort } from '../port/kind-ports.js'
import type { KindContext } from './acquiring/acquirer.js'
import { applyOnce } from './acquiring/apply-once.js'
import type { Section } from './acquiring/section.js'
import type { Hold } from './hold.js'
import { checkLease } from './options/options.js'
import { checkPermits, MOST_IDS } from './options/permits-options.js'
import { Permits } from './permits.js'

/** A hold of permits that have an id each. */
export interface PermitsHold extends Hold {
  /** Their ids, in hex: any program that knows an id can return that permit. */
  readonly permitIds: readonly string[]
}

/** The body of a `withPermits` section, for permits with ids. */
export type PermitsSection<Result> = Section<Result, PermitsHold>

/**
 * A number of permits. Each taken permit has an id and a lease, and any program that knows the id can return or prolong it.
 * Redisson's `RPermitExpirableSemaphore` of the same name is the same semaphore. A cheap handle.
 */
export class PermitExpirableSemaphore extends Permits<PermitsHold> {
  readonly #locker: Locker
  readonly #port: PermitExpirableSemaphorePort

  /** @internal */
  constructor(name: string, context: KindContext, port: PermitExpirableSemaphorePort, atFirst?: number) {
    super(name, context, port, atFirst, MOST_IDS)
    this.#locker = context.locker
    this.#port = port
  }

  /** @internal */
  protected heldAs(hold: Hold, permits: number): PermitsHold {
    return Object.assign(hold, { permitIds: permitIdsOf(hold.owner, permits) })
  }

  /** Sets the number of permits, taken ones included. If lower than the number taken, availability becomes negative. */
  async setPermits(permits: number): Promise<void> {
    checkPermits('permits', permits, 0)
    await applyOnce(this.#locker, (request) => this.#port.setPermits(this.name, permits, request))
  }

  /** The number of taken permits, whatever their owners. */
  async acquiredPermits(): Promise<number> {
    return await this.#locker.query(() => this.#port.acquiredPermits(this.name))
  }

  /** The number of permits, taken ones included. */
  async permits(): Promise<number> {
    await this.setFirst()
    return await this.#locker.query(() => this.#port.permits(this.name))
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
   * Sets the time left of a permit's lease, longer or shorter, whichever process took it. Waiters learn of an earlier end. A hold does not
   * learn of it (see `hold.extend`), and a watchdog goes on renewing its own permits.
   *
   * @param leaseMs at least 10; Infinity: the lease never ends. To Redis one that ends after the year 30000 never ends either.
   * @returns whether the permit is still taken.
   */
  async updateLeaseTime(permitId: string, leaseMs: number): Promise<boolean> {
    const [id] = checkPermitIds(permitId)
    if (leaseMs !== Infinity) checkLease(leaseMs)
    return await applyOnce(this.#locker, (request) =>
      this.#port.updateLeaseTime(this.name, id, leaseMs, request),
    )
  }

  /** The time left of a permit's lease, in milliseconds: Infinity if it never ends, 0 if the permit is not taken, or no longer. */
  async leaseMs(permitId: string): Promise<number> {
    const [id] = checkPermitIds(permitId)
    return await this.#locker.query(() => this.#port.leaseTime(this.name, id))
  }

  async #release(ids: readonly string[]): Promise<boolean> {
    return await applyOnce(this.#locker, (request) => this.#port.releasePermits(this.name, ids, request))
  }
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
