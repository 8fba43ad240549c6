import type { Call, Refusal } from './core/call.js'
import { Grant } from './core/grant.js'
import type { Locker } from './core/locker.js'
import {
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NoOwnerError,
  NotOwnerError,
  StoreError,
} from './errors.js'
import { Hold } from './hold.js'
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkOwner,
  checkUnlockOptions,
  type UnlockOptions,
} from './options.js'
import { type Owner, type Owners, Scope } from './owner.js'
import { runSection, type Section } from './section.js'
import type { LockState } from './store.js'
import { acquireChannel, traceAcquire } from './trace/acquire.js'
import { resultOf, traceOf } from './trace/grant.js'
import { beginHold } from './trace/hold.js'
import type { Unlockables } from './unlockables.js'

const NO_OPTIONS: AcquireOptions = {}

/**
 * A named lock that at most one owner holds, as often as it likes. A cheap handle: two handles of one name are the same lock,
 * and making one sends nothing. Redisson's `RLock` of the same name is the same lock too.
 */
export class Lock {
  /** The lock's name. */
  readonly name: string
  readonly #locker: Locker
  readonly #owners: Owners
  readonly #unlockables: Unlockables
  readonly #maxHoldMs: number

  /** @internal */
  constructor(name: string, locker: Locker, owners: Owners, unlockables: Unlockables, maxHoldMs: number) {
    this.name = name
    this.#locker = locker
    this.#owners = owners
    this.#unlockables = unlockables
    this.#maxHoldMs = maxHoldMs
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
  async withLock<Result>(
    optionsOrBody: AcquireOptions | Section<Result>,
    bodyOrNothing?: Section<Result>,
  ): Promise<Awaited<Result>> {
    const options = typeof optionsOrBody === 'function' ? NO_OPTIONS : optionsOrBody
    const body = typeof optionsOrBody === 'function' ? optionsOrBody : bodyOrNothing
    checkAcquireOptions(options, this.#owners)
    if (typeof body !== 'function') throw new InvalidArgumentError('body', body, 'a function')
    const caller = this.#callerOrNew(options.owner)
    const scope = new Scope(caller.owner, caller)
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, caller, scope)
    const grant = this.#grantedOrThrow(outcome, options)
    // What outlives the section must find no scope of its owner alive (rule O3), so one made for this call ends before it runs.
    if (!this.#isCurrent(caller)) caller.end()
    return await runSection(new Hold(grant, this.#locker, this.#owners, undefined), grant, {
      body,
      scope,
      owners: this.#owners,
      onLost: options.onLost,
      onTrouble: (error) => this.#locker.emit('error', error),
    })
  }

  /**
   * Takes the lock, waiting for it as long as `waitMs` says (default: as long as it takes).
   *
   * @returns the hold, to be released once: by `hold.release()` or by `await using`.
   * @throws {@link LockTimeoutError} if the lock was not obtained within `waitMs`.
   * @throws the signal's reason if it aborted; `TooManyWaitersError`, `ClosedError`, {@link StoreError} as their names say.
   *   Whatever it throws, nothing is held and nothing is left behind.
   */
  async acquire(options: AcquireOptions = {}): Promise<Hold> {
    checkAcquireOptions(options, this.#owners)
    const scope = this.#callerOrNew(options.owner)
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, scope, scope)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  /**
   * Takes the lock if it is to be had within `waitMs` (default 0: one attempt).
   *
   * @returns the hold, or `null` when someone else holds the lock.
   * @throws {@link StoreError} if the store failed or did not answer, since then nobody knows who holds the lock.
   */
  async tryAcquire(options: AcquireOptions = {}): Promise<Hold | null> {
    checkAcquireOptions(options, this.#owners)
    const scope = this.#callerOrNew(options.owner)
    const outcome = await this.#call(options, 0, scope, scope)
    if (outcome instanceof Grant) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  /**
   * Takes the lock for the owner of the surrounding scope, in Redisson's shape: give it back with {@link Lock.unlock}, once for each
   * `lock()`.
   *
   * @throws {@link NoOwnerError} outside a scope and without `owner`; otherwise as {@link Lock.acquire}.
   */
  async lock(options: AcquireOptions = {}): Promise<void> {
    checkAcquireOptions(options, this.#owners)
    const scope = this.#callerOrRefuse(options.owner, 'lock')
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, scope, scope)
    this.#unlockables.add(this.#begin(this.#grantedOrThrow(outcome, options), scope), scope)
  }

  /**
   * As {@link Lock.lock}, but waits `waitMs` at most (default 0: one attempt).
   *
   * @returns whether the lock was obtained.
   */
  async tryLock(options: AcquireOptions = {}): Promise<boolean> {
    checkAcquireOptions(options, this.#owners)
    const scope = this.#callerOrRefuse(options.owner, 'tryLock')
    const hold = await this.tryAcquire({ ...options, owner: scope.owner })
    if (hold) this.#unlockables.add(hold, scope)
    return hold !== null
  }

  /**
   * Undoes the owner's latest `lock()` or `tryLock()` of this lock that is open to the calling scope.
   *
   * @throws {@link NotOwnerError} if there is none: held by someone else, by a sibling's section, or released already. Nothing
   *   is changed in the store.
   * @throws {@link LockLostError} if the lock was lost.
   * @throws {@link NoOwnerError} outside a scope and without `owner`.
   */
  async unlock(options: UnlockOptions = {}): Promise<void> {
    checkUnlockOptions(options, this.#owners)
    const scope = this.#callerOrRefuse(options.owner, 'unlock')
    const hold = this.#unlockables.take(this.name, scope)
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
    const asked = owner === undefined ? this.#owners.current()?.owner : checkOwner(owner)
    if (asked === undefined) return 0
    return (await this.inspect()).owners.find((each) => each.owner === asked)?.holds ?? 0
  }

  /** How long the lease in the store still runs, in milliseconds: 0 when the lock is free, Infinity when it never ends. */
  async remainingMs(): Promise<number> {
    return (await this.inspect()).remainingMs
  }

  /** The lock as the store has it now: who holds it, how often, and for how long yet. */
  async inspect(): Promise<LockState> {
    return await this.#locker.inspect(this.name)
  }

  /** How many clients wait for this lock to be released. One process counts once, however many of its calls wait. */
  async countWaitingClients(): Promise<number> {
    return await this.#locker.query(() => this.#locker.port.countWatchers(this.name))
  }

  /**
   * Frees the lock whoever holds it and wakes its waiters. The holder learns that it lost the lock: at once when it is of this
   * `Holdfast`, else at its next renewal or release. Its work may still be running: use it to clean up after the dead.
   *
   * @returns whether the lock was held.
   */
  async forceUnlock(): Promise<boolean> {
    return await this.#locker.forceUnlock(this.name)
  }

  #grantedOrThrow(outcome: Grant | Refusal, options: AcquireOptions): Grant {
    if (outcome instanceof Grant) return outcome
    if (options.waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
    throw new LockTimeoutError(this.name, outcome.waitedMs, outcome, outcome.cause)
  }

  /** A scope that was made for this one acquisition ends with it: what still runs in it then is nobody's section (rule O3). */
  #begin(grant: Grant, caller: Scope): Hold {
    beginHold(traceOf(grant))
    return new Hold(grant, this.#locker, this.#owners, this.#isCurrent(caller) ? undefined : caller)
  }

  #isCurrent(scope: Scope): boolean {
    return scope === this.#owners.current()
  }

  #call(options: AcquireOptions, waitMs: number, caller: Scope, holder: Scope): Promise<Grant | Refusal> {
    const locker = this.#locker
    const call: Call = {
      name: this.name,
      caller,
      holder,
      unrelated: options.owner === undefined && !this.#isCurrent(caller),
      waitMs: options.waitMs ?? waitMs,
      leaseMs: options.leaseMs,
      maxHoldMs: options.maxHoldMs ?? this.#maxHoldMs,
      signal: options.signal,
    }
    if (!acquireChannel.hasSubscribers) return locker.acquire(call)
    const told = { name: call.name, owner: caller.owner, signal: call.signal, clock: locker.schedule.clock }
    return traceAcquire(told, () => locker.acquire(call), resultOf)
  }

  #callerOrNew(explicit: Owner | undefined): Scope {
    return this.#owners.caller(explicit) ?? new Scope(this.#owners.next(), undefined)
  }

  #callerOrRefuse(explicit: Owner | undefined, method: string): Scope {
    const caller = this.#owners.caller(explicit)
    if (!caller) throw new NoOwnerError(this.name, method)
    return caller
  }

  /** For an error message: not worth a second failure. */
  async #holder(): Promise<Owner | undefined> {
    const state = await this.inspect().catch(() => undefined)
    return state?.owners[0]?.owner
  }
}
