import type { Locker } from '../core/locker.js'
import type { SemaphorePort } from '../port/kind-ports.js'
import type { KindContext } from './acquiring/acquirer.js'
import { applyOnce } from './acquiring/apply-once.js'
import type { Hold } from './hold.js'
import { checkPermits } from './options/permits-options.js'
import { Permits } from './permits.js'

/**
 * A number of permits that limits how many may work at once. A hold keeps its permits until it is released or its lease ends.
 * Redisson's `RSemaphore` of the same name is the same semaphore. A cheap handle.
 */
export class Semaphore extends Permits<Hold> {
  readonly #locker: Locker
  readonly #port: SemaphorePort

  /** @internal */
  constructor(name: string, context: KindContext, port: SemaphorePort, atFirst?: number) {
    super(name, context, port, atFirst)
    this.#locker = context.locker
    this.#port = port
  }

  /** @internal */
  protected heldAs(hold: Hold): Hold {
    return hold
  }

  /**
   * Takes all available permits permanently, without a hold.
   *
   * @returns how many it took; negative if availability was negative after a reduction, which it resets to 0.
   */
  async drainPermits(): Promise<number> {
    await this.setFirst()
    return await applyOnce(this.#locker, (request) => this.#port.drainPermits(this.name, request))
  }

  /**
   * Returns permits that belong to no hold of Holdfast's, as `release` does in Java: without an earlier acquire it adds permits. To
   * return the permits of a hold, release the hold.
   */
  async release(permits = 1): Promise<void> {
    await this.addPermits(permits)
  }

  /** As `release`, but only if a number of permits is set; returns whether one is. */
  async releaseIfExists(permits = 1): Promise<boolean> {
    checkPermits('permits', permits, 1)
    return await applyOnce(this.#locker, (request) => this.#port.addPermitsIfSet(this.name, permits, request))
  }
}
