import { checkObject } from '../base/checks/checks.js'
import type { Locker } from '../core/locker.js'
import type { CountDownLatchPort } from '../port/kind-ports.js'
import type { KindContext } from './acquiring/acquirer.js'
import { applyOnce } from './acquiring/apply-once.js'
import { LockAcquirer } from './acquiring/lock-acquirer.js'
import type { AcquireOptions } from './options/options.js'
import { checkPermits } from './options/permits-options.js'

/** Any lease will do: the store has nothing that it could end. */
const PASSING_MS = 86_400_000

/** Options of a wait for a latch. */
export type AwaitOptions = Pick<AcquireOptions, 'waitMs' | 'signal'>

/**
 * A count of the parts still to be done; waiters continue when it reaches zero. Redisson's `RCountDownLatch` of the same name is the
 * same latch. A cheap handle.
 */
export class CountDownLatch {
  /** The latch's name. */
  readonly name: string
  readonly #acquirer: LockAcquirer
  readonly #locker: Locker
  readonly #port: CountDownLatchPort

  /** @internal */
  constructor(name: string, terms: KindContext, port: CountDownLatchPort) {
    this.name = name
    this.#acquirer = new LockAcquirer(name, terms)
    this.#locker = terms.locker
    this.#port = port
  }

  /** Sets the count if the latch is open, which closes it; returns whether it did. Minimum: 1. */
  async trySetCount(count: number): Promise<boolean> {
    checkPermits('count', count, 1, Number.MAX_SAFE_INTEGER)
    return await applyOnce(this.#locker, (request) => this.#port.trySetCount(this.name, count, request))
  }

  /** The count; 0 if the latch is open or was never closed. */
  async count(): Promise<number> {
    return await this.#locker.query(() => this.#port.count(this.name))
  }

  /**
   * Counts down by one. At zero all waiters continue, and the latch can be set again. An open latch stays open.
   *
   * @returns the new count.
   */
  async countDown(): Promise<number> {
    return await applyOnce(this.#locker, (request) => this.#port.countDown(this.name, request))
  }

  /**
   * Resolves when the latch is open; at once if it is open already.
   *
   * @throws `LockTimeoutError` if it did not open within `waitMs` (default: without limit); the signal's reason if it aborted.
   */
  async await(options: AwaitOptions = {}): Promise<void> {
    const hold = await this.#acquirer.acquire(this.#once(options))
    await hold.release()
  }

  /** Whether the latch opens within `waitMs` (default 0: whether it is open). */
  async tryAwait(options: AwaitOptions = {}): Promise<boolean> {
    const hold = await this.#acquirer.tryAcquire(this.#once(options))
    await hold?.release()
    return hold !== null
  }

  /** Deletes the latch, which opens it: all waiters continue. Returns whether there was one. */
  async delete(): Promise<boolean> {
    return await applyOnce(this.#locker, (request) => this.#port.delete(this.name, request))
  }

  /**
   * How many clients wait for the latch to open; undefined where the store does not know. One process counts once, however many of its
   * calls wait.
   */
  async countWaitingClients(): Promise<number | undefined> {
    return await this.#locker.query(() => this.#port.countWatchers(this.name))
  }

  /** A grant is released at once: the store keeps nothing of it, so it needs no watchdog. */
  #once(options: AwaitOptions): AcquireOptions {
    return { ...checkObject('options', options, ['waitMs', 'signal']), leaseMs: PASSING_MS }
  }
}
