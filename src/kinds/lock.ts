import { LockLostError, NotOwnerError } from '../base/errors/errors.js'
import type { Owner } from '../base/identity/owner.js'
import { ticketOwner } from '../base/identity/ticket.js'
import type { LockState } from '../port/lock-port.js'
import type { KindContext } from './acquiring/acquirer.js'
import { LockAcquirer } from './acquiring/lock-acquirer.js'
import type { Section } from './acquiring/section.js'
import type { Hold } from './hold.js'
import {
  type AcquireOptions,
  type AdoptOptions,
  checkOwner,
  checkUnlockOptions,
  NO_OPTIONS,
  type UnlockOptions,
} from './options/options.js'

/**
 * A named lock that at most one owner holds, any number of times. A cheap handle: two handles of one name are the same lock, and
 * creating one sends nothing. Redisson's `RLock` of the same name is the same lock too.
 */
export class Lock {
  /** The lock's name. */
  readonly name: string
  readonly #acquirer: LockAcquirer
  readonly #terms: KindContext

  /** @internal */
  constructor(name: string, terms: KindContext) {
    this.name = name
    this.#acquirer = new LockAcquirer(name, terms)
    this.#terms = terms
  }

  /** @internal The lock's kind and client: locks of one name and equal terms are the same lock. */
  get terms(): KindContext {
    return this.#terms
  }

  /**
   * Takes the lock, runs `body`, and releases the lock when the body has settled. Code in the body, and in everything that it awaits,
   * may take the lock again (it re-enters); calls that run side by side within one body take turns.
   *
   * @returns the result of `body`.
   * @throws {@link LockTimeoutError} if the call did not get the lock within `waitMs`; `body` did not run.
   * @throws {@link LockLostError} if the lock was lost meanwhile and `onLost` is `'reject'`; its `result` is the body's result. If the
   *   body itself rejects, that error takes precedence.
   * @throws {@link StoreError} if the store failed. If the release failed, `result` is the body's result, and the lock is free when
   *   its lease ends, or before.
   */
  withLock<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: AcquireOptions, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: AcquireOptions | Section<Result>,
    bodyOrNothing?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return this.#acquirer.withLock(optionsOrBody, bodyOrNothing)
  }

  /**
   * Takes the lock, and waits for it for at most `waitMs` (default: without limit).
   *
   * @returns the hold. Release it once: by `hold.release()` or `await using`.
   * @throws {@link LockTimeoutError} if the call did not get the lock within `waitMs`.
   * @throws the signal's reason if it aborted; `TooManyWaitersError`, `ClosedError`, {@link StoreError} as their names say.
   *   A call that throws holds nothing and leaves nothing behind.
   */
  acquire(options: AcquireOptions = NO_OPTIONS): Promise<Hold> {
    return this.#acquirer.acquire(options)
  }

  /**
   * Takes the lock if it is free within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` if another owner holds the lock.
   * @throws {@link StoreError} if the store failed or did not answer, since then the holder is unknown.
   */
  tryAcquire(options: AcquireOptions = NO_OPTIONS): Promise<Hold | null> {
    return this.#acquirer.tryAcquire(options)
  }

  /**
   * Takes over a hold that was detached, in this process or in another one ({@link Hold.detach}). A ticket is good for one adoption. With
   * a `fencedLock` the new hold has a token of its own, greater than that of the hold before.
   *
   * @param ticket what `detach` returned
   * @param options as for {@link Lock.acquire}; there is nothing to wait for
   * @returns the hold. Release it once.
   * @throws {@link LockLostError} if the lock is not detached under this ticket any more: adopted before, over, or forced open.
   * @throws `InvalidArgumentError` if the text is no ticket for this lock. The error does not show it.
   * @throws {@link StoreError} if the store failed for `storeTimeoutMs`. Nobody has adopted the hold; if the store passed it on before the
   *   answer was lost, Holdfast gives the lock back. `ClosedError` after `close`.
   */
  async adopt(ticket: string, options: AdoptOptions = {}): Promise<Hold> {
    const from = ticketOwner(ticket, this.name)
    const hold = await this.#acquirer.adopt(from, options)
    if (!hold) throw new LockLostError(this.name, from, 'not-in-store', undefined)
    return hold
  }

  /**
   * Takes the lock for the owner of the surrounding scope, as in Redisson: release it with {@link Lock.unlock}, once for each
   * `lock()`.
   *
   * @throws {@link NoOwnerError} outside a scope and without `owner`; otherwise as {@link Lock.acquire}.
   */
  async lock(options: AcquireOptions = {}): Promise<void> {
    const scope = this.#acquirer.callerOrRefuse(options, 'lock')
    this.#terms.openLocks.add(await this.#acquirer.acquire(options, undefined, scope), scope)
  }

  /**
   * As {@link Lock.lock}, but waits for at most `waitMs` (default 0: one attempt).
   *
   * @returns whether the owner got the lock.
   */
  async tryLock(options: AcquireOptions = {}): Promise<boolean> {
    const scope = this.#acquirer.callerOrRefuse(options, 'tryLock')
    const hold = await this.#acquirer.tryAcquire(options, undefined, scope)
    if (hold) this.#terms.openLocks.add(hold, scope)
    return hold !== null
  }

  /**
   * Undoes the owner's latest `lock()` or `tryLock()` of this lock that the calling scope may undo.
   *
   * @throws {@link NotOwnerError} if there is none: another owner or a sibling's section holds it, or it was released. The store is
   *   unchanged.
   * @throws {@link LockLostError} if the lock was lost. Holdfast remembers at least the latest thousand lost holds that were never
   *   unlocked; for an older one it throws `NotOwnerError`.
   * @throws {@link NoOwnerError} outside a scope and without `owner`.
   */
  async unlock(options: UnlockOptions = {}): Promise<void> {
    const scope = this.#acquirer.callerOrRefuse(options, 'unlock', checkUnlockOptions)
    const hold = this.#terms.openLocks.take(this.name, scope)
    if (!hold) {
      // Nothing is sent but a question (rule O5), for the error: not worth a second failure.
      const [holder] = (await this.inspect().catch(() => undefined))?.owners ?? []
      throw new NotOwnerError(this.name, scope.owner, holder?.owner, undefined, holder?.heldSince)
    }
    await hold.release()
  }

  /** Whether any owner holds the lock. */
  async isLocked(): Promise<boolean> {
    const { owners, remainingMs } = await this.inspect()
    return owners.length > 0 || remainingMs > 0
  }

  /** Whether `owner` (default: the surrounding scope's) holds the lock. False outside a scope. */
  async isHeld(owner?: Owner): Promise<boolean> {
    return (await this.holdCount(owner)) > 0
  }

  /** How many holds `owner` (default: the surrounding scope's) has. 0 outside a scope. */
  async holdCount(owner?: Owner): Promise<number> {
    const asked = owner === undefined ? this.#terms.owners.current()?.owner : checkOwner(owner)
    if (asked === undefined) return 0
    const { owners } = await this.#terms.locker.inspect(this.name, asked)
    return owners.find((each) => each.owner === asked)?.holds ?? 0
  }

  /** The time left of the lease in the store, in milliseconds: 0 if the lock is free, Infinity if the lease never ends. */
  async remainingMs(): Promise<number> {
    return (await this.inspect()).remainingMs
  }

  /** The present state of the lock in the store: its owners, their holds, and the time left. */
  async inspect(): Promise<LockState> {
    return await this.#terms.locker.inspect(this.name)
  }

  /**
   * How many clients wait for this lock to be released; undefined where the store does not know: where its clients poll, and of a spin
   * lock. One process counts once, however many of its calls wait.
   */
  async countWaitingClients(): Promise<number | undefined> {
    const { locker, polls } = this.#terms
    const listening = await locker.countWaiting(this.name)
    return polls ? undefined : listening
  }

  /**
   * Frees the lock, whatever its owner, and wakes its waiters. The holder learns of the loss: at once if it belongs to this `Holdfast`,
   * otherwise at its next renewal or release. Its work may still be running: use this to clean up after dead processes.
   *
   * @returns whether the lock was held.
   */
  async forceUnlock(): Promise<boolean> {
    return await this.#terms.locker.forceUnlock(this.name)
  }
}
