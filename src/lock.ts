import { Entry, type EntryTerms, NO_OPTIONS } from './entry.js'
import { NotOwnerError } from './errors.js'
import type { Hold } from './hold.js'
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkOwner,
  checkUnlockOptions,
  type UnlockOptions,
} from './options.js'
import type { Owner } from './owner.js'
import type { Section } from './section.js'
import type { LockState } from './store.js'

/**
 * A named lock that at most one owner holds, as often as it likes. A cheap handle: two handles of one name are the same lock,
 * and making one sends nothing. Redisson's `RLock` of the same name is the same lock too.
 */
export class Lock {
  /** The lock's name. */
  readonly name: string
  readonly #entry: Entry
  readonly #terms: EntryTerms

  /** @internal */
  constructor(name: string, terms: EntryTerms) {
    this.name = name
    this.#entry = new Entry(name, terms)
    this.#terms = terms
  }

  /** @internal Which kind of lock of which client it is: locks of one name and equal terms are the same lock. */
  get terms(): EntryTerms {
    return this.#terms
  }

  /**
   * Takes the lock, runs `body`, and gives the lock back when the body has settled. Within the body, and in all it awaits, the
   * lock may be taken again (it is re-entered); calls that run side by side within one body take turns.
   *
   * @returns what `body` returns.
   * @throws {@link LockTimeoutError} if the lock was not obtained within `waitMs`; `body` was not run.
   * @throws {@link LockLostError} if the lock was lost meanwhile and `onLost` is `'reject'`; its `result` is what the body
   *   returned. If the body itself rejects, that error wins.
   * @throws {@link StoreError} if the store failed. If that was at the release, `result` is what the body returned, and the
   *   lock is free when its lease ends, or before.
   */
  withLock<Result>(body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: AcquireOptions, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: AcquireOptions | Section<Result>,
    bodyOrNothing?: Section<Result>,
  ): Promise<Awaited<Result>> {
    return typeof optionsOrBody === 'function'
      ? this.#entry.withLock(NO_OPTIONS, optionsOrBody)
      : this.#entry.withLock(optionsOrBody, bodyOrNothing)
  }

  /**
   * Takes the lock, waiting for it as long as `waitMs` says (default: as long as it takes).
   *
   * @returns the hold, to be released once: by `hold.release()` or by `await using`.
   * @throws {@link LockTimeoutError} if the lock was not obtained within `waitMs`.
   * @throws the signal's reason if it aborted; `TooManyWaitersError`, `ClosedError`, {@link StoreError} as their names say.
   *   Whatever it throws, nothing is held and nothing is left behind.
   */
  acquire(options: AcquireOptions = NO_OPTIONS): Promise<Hold> {
    return this.#entry.acquire(options)
  }

  /**
   * Takes the lock if it is to be had within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` when someone else holds the lock.
   * @throws {@link StoreError} if the store failed or did not answer, since then nobody knows who holds the lock.
   */
  tryAcquire(options: AcquireOptions = NO_OPTIONS): Promise<Hold | null> {
    return this.#entry.tryAcquire(options)
  }

  /**
   * Takes the lock for the owner of the surrounding scope, in Redisson's shape: give it back with {@link Lock.unlock}, once for each
   * `lock()`.
   *
   * @throws {@link NoOwnerError} outside a scope and without `owner`; otherwise as {@link Lock.acquire}.
   */
  async lock(options: AcquireOptions = {}): Promise<void> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#entry.callerOrRefuse(options.owner, 'lock')
    this.#terms.unlockables.add(await this.#entry.acquireFor(scope, options), scope)
  }

  /**
   * As {@link Lock.lock}, but waits `waitMs` at most (default 0: one attempt).
   *
   * @returns whether the lock was obtained.
   */
  async tryLock(options: AcquireOptions = {}): Promise<boolean> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#entry.callerOrRefuse(options.owner, 'tryLock')
    const hold = await this.#entry.tryAcquireFor(scope, options)
    if (hold) this.#terms.unlockables.add(hold, scope)
    return hold !== null
  }

  /**
   * Undoes the owner's latest `lock()` or `tryLock()` of this lock that is open to the calling scope.
   *
   * @throws {@link NotOwnerError} if there is none: held by someone else, by a sibling's section, or released already. Nothing
   *   is changed in the store.
   * @throws {@link LockLostError} if the lock was lost. Of holds that are over and were never unlocked the latest thousand at least
   *   are remembered; for one before them it is a `NotOwnerError`.
   * @throws {@link NoOwnerError} outside a scope and without `owner`.
   */
  async unlock(options: UnlockOptions = {}): Promise<void> {
    checkUnlockOptions(options, this.#terms.owners)
    const scope = this.#entry.callerOrRefuse(options.owner, 'unlock')
    const hold = this.#terms.unlockables.take(this.name, scope)
    if (!hold) throw new NotOwnerError(this.name, scope.owner, await this.#holder())
    await hold.release()
  }

  /** Whether anybody holds the lock. */
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
    return (await this.inspect()).owners.find((each) => each.owner === asked)?.holds ?? 0
  }

  /** How long the lease in the store still runs, in milliseconds: 0 when the lock is free, Infinity when it never ends. */
  async remainingMs(): Promise<number> {
    return (await this.inspect()).remainingMs
  }

  /** The lock as the store has it now: who holds it, how often, and for how long yet. */
  async inspect(): Promise<LockState> {
    return await this.#terms.locker.inspect(this.name)
  }

  /** How many clients wait for this lock to be released. One process counts once, however many of its calls wait. */
  async countWaitingClients(): Promise<number> {
    return await this.#terms.locker.countWaiting(this.name)
  }

  /**
   * Frees the lock whoever holds it and wakes its waiters. The holder learns that it lost the lock: at once when it is of this
   * `Holdfast`, else at its next renewal or release. Its work may still be running: use it to clean up after the dead.
   *
   * @returns whether the lock was held.
   */
  async forceUnlock(): Promise<boolean> {
    return await this.#terms.locker.forceUnlock(this.name)
  }

  /** For an error message: not worth a second failure. */
  async #holder(): Promise<Owner | undefined> {
    const state = await this.inspect().catch(() => undefined)
    return state?.owners[0]?.owner
  }
}
