import { randomUUID } from 'node:crypto'
import { checkFunction, whole } from '../base/checks/checks.js'
import type { Call } from '../core/acquire/call.js'
import type { Locker } from '../core/locker.js'
import type { PermitsPort } from '../port/kind-ports.js'
import type { LockState } from '../port/lock-port.js'
import type { KindContext } from './acquiring/acquirer.js'
import { applyOnce } from './acquiring/apply-once.js'
import { LockAcquirer } from './acquiring/lock-acquirer.js'
import { optionsAndBody, type Section } from './acquiring/section.js'
import type { Hold } from './hold.js'
import { checkPermits, checkPermitsOptions, type PermitsOptions } from './options/permits-options.js'

/** A number of permits, of which each acquisition takes one or more: what semaphores of either kind have in common. */
export abstract class Permits<Held extends Hold> {
  /** The semaphore's name. */
  readonly name: string
  readonly #acquirer: LockAcquirer
  readonly #locker: Locker
  readonly #port: PermitsPort
  readonly #most: number | undefined
  /** How many there are to be, where no number is set. */
  readonly #atFirst: number | undefined

  /** @internal */
  constructor(
    name: string,
    context: KindContext,
    port: PermitsPort,
    atFirst: number | undefined,
    most?: number,
  ) {
    this.name = name
    this.#atFirst = atFirst === undefined ? undefined : checkPermits('permits', atFirst, 1)
    const sends = atFirst === undefined ? undefined : settingFirst(context.locker, port, atFirst)
    this.#acquirer = new LockAcquirer(name, { ...context, sends })
    this.#locker = context.locker
    this.#port = port
    this.#most = most
  }

  /** @internal The hold as this kind shows it. */
  protected abstract heldAs(hold: Hold, permits: number): Held

  /**
   * Sets the number of permits if it is not set yet. Until then there are none. A semaphore that was made with a number needs no such call.
   *
   * @param options `ttlMs`: after this time the semaphore expires, with all its holds. Minimum: 1.
   * @returns whether this call set it.
   */
  async trySetPermits(permits: number, options: { readonly ttlMs?: number } = {}): Promise<boolean> {
    checkPermits('permits', permits, 1)
    const ttlMs = whole('ttlMs', options.ttlMs, 1)
    return await applyOnce(this.#locker, (request) =>
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

  /** The number of available permits: 0 if no number is set, negative if the number is lower than the number taken. */
  async availablePermits(): Promise<number> {
    await this.setFirst()
    return await this.#locker.query(() => this.#port.availablePermits(this.name))
  }

  /**
   * Takes permits, and waits for them for at most `waitMs` (default: without limit).
   *
   * @returns the hold; its release returns all of them.
   * @throws `LockTimeoutError` if the call did not get them within `waitMs`; otherwise as `Lock.acquire`.
   */
  async acquire(options: PermitsOptions = {}): Promise<Held> {
    const { lock, permits } = checkPermitsOptions(options, this.#most)
    return this.heldAs(await this.#acquirer.acquire(lock, permits), permits)
  }

  /**
   * Takes permits if enough are available within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` if not enough are available.
   */
  async tryAcquire(options: PermitsOptions = {}): Promise<Held | null> {
    const { lock, permits } = checkPermitsOptions(options, this.#most)
    const hold = await this.#acquirer.tryAcquire(lock, permits)
    return hold && this.heldAs(hold, permits)
  }

  /** Takes permits, runs `body`, and returns them when it has settled; errors as with `Lock.withLock`. */
  withPermits<Result>(body: Section<Result, Held>): Promise<Awaited<Result>>
  withPermits<Result>(options: PermitsOptions, body: Section<Result, Held>): Promise<Awaited<Result>>
  withPermits<Result>(
    optionsOrBody: PermitsOptions | Section<Result, Held>,
    body?: Section<Result, Held>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /** The same as `withPermits`, under the name that every kind of lock has. */
  withLock<Result>(body: Section<Result, Held>): Promise<Awaited<Result>>
  withLock<Result>(options: PermitsOptions, body: Section<Result, Held>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: PermitsOptions | Section<Result, Held>,
    body?: Section<Result, Held>,
  ): Promise<Awaited<Result>> {
    return this.#section(optionsOrBody, body)
  }

  /** How many clients wait for permits; undefined where the store does not know. One process counts once, however many of its calls wait. */
  async countWaitingClients(): Promise<number | undefined> {
    return await this.#locker.query(() => this.#port.countWatchers(this.name))
  }

  /**
   * The holders of permits, how many each has (`holds`), and the time until the first lease ends. Redisson's holders are unknown, and of
   * permits with ids each is shown as an owner of its own (the id, and `:1`).
   */
  async inspect(): Promise<LockState> {
    return await this.#locker.inspect(this.name)
  }

  async #section<Result>(
    optionsOrBody: PermitsOptions | Section<Result, Held>,
    bodyOrNothing: Section<Result, Held> | undefined,
  ): Promise<Awaited<Result>> {
    const [options, body] = optionsAndBody(optionsOrBody, bodyOrNothing)
    const { lock, permits } = checkPermitsOptions(options, this.#most)
    if (body !== undefined) checkFunction('body', body)
    const section = body && ((hold: Hold) => body(this.heldAs(hold, permits)))
    return await this.#acquirer.withLock(lock, section, permits)
  }

  /** @internal Sets the number that the handle was made with, unless one is set: before a question about it, or a change. */
  protected async setFirst(): Promise<void> {
    if (this.#atFirst !== undefined) await this.trySetPermits(this.#atFirst)
  }

  async #add(delta: number): Promise<void> {
    await this.setFirst()
    await applyOnce(this.#locker, (request) => this.#port.addPermits(this.name, delta, request))
  }
}

/**
 * Sends requests for permits, and sets their number where none is set. A refusal shows that: nothing is taken whose lease could end. So it
 * costs nothing where a number is set, and a number that has gone with the server's data is set again by the next who asks.
 */
function settingFirst({ port }: Locker, permits: PermitsPort, atFirst: number): Call['sends'] {
  return async (request) => {
    const reply = await port.acquire(request)
    if (reply.outcome !== 'busy' || reply.remainingMs !== Infinity) return reply
    await permits.trySetPermits(request.name, atFirst, randomUUID())
    return await port.acquire(request)
  }
}
