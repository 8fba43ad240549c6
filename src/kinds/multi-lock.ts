import { AcquireAll, type AcquireAllRefusal, type Member } from '../core/acquire/acquire-all.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import { InvalidArgumentError, LockTimeoutError, NotOwnerError } from '../errors/errors.js'
import { Acquirer, type KindContext, NO_OPTIONS } from '../facade/acquirer.js'
import { warnIfDropped } from '../facade/dropped-hold.js'
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkUnlockOptions,
  type UnlockOptions,
} from '../facade/options.js'
import { releaseAll } from '../facade/release-all.js'
import { runSection, type Section } from '../facade/section.js'
import { type Owner, Scope } from '../identity/owner.js'
import { acquireChannel, traceAcquire } from '../trace/acquire.js'
import { resultOf, traceOf } from '../trace/grant.js'
import { beginHold } from '../trace/hold.js'
import { Lock } from './lock.js'
import { type HeldMember, MultiHold } from './multi-hold.js'

/** The body of a multi-lock's `withLock` section. */
export type MultiSection<Result> = Section<Result, MultiHold>

/**
 * Several locks as one: an acquisition holds all of them, or none. All callers take them in the same order, whatever order they list
 * them in, so they cannot deadlock. Each is an ordinary hold of its lock, re-entered, renewed, handed over and lost by the same
 * rules.
 */
export class MultiLock {
  /** The locks, in the given order. */
  readonly locks: readonly Lock[]
  readonly #terms: KindContext
  readonly #acquirer: Acquirer
  /** The locks in the order in which all callers take them. */
  readonly #members: readonly Member[]

  /** @internal */
  constructor(locks: readonly Lock[], plain: KindContext) {
    this.locks = checkLocks(locks, plain)
    this.#terms = plain
    this.#acquirer = new Acquirer(this.locks.map(({ name }) => name).join(', '), plain)
    const placeOf = (name: string): number => plain.locker.port.together?.placeOf(name) ?? 0
    this.#members = this.locks
      .map(({ name, terms }) => ({
        name,
        locker: terms.locker,
        place: placeOf(name),
        polls: terms.polls,
      }))
      .sort((one, other) => one.place - other.place || (one.name < other.name ? -1 : 1))
  }

  /**
   * Takes all of the locks, runs `body`, and releases them when the body has settled. As `Lock.withLock`; `waitMs` covers all of them
   * together, and `leaseMs` begins when all are held.
   */
  withLock<Result>(body: MultiSection<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: AcquireOptions, body: MultiSection<Result>): Promise<Awaited<Result>>
  async withLock<Result>(
    optionsOrBody: AcquireOptions | MultiSection<Result>,
    bodyOrNothing?: MultiSection<Result>,
  ): Promise<Awaited<Result>> {
    const options = typeof optionsOrBody === 'function' ? NO_OPTIONS : optionsOrBody
    const body = typeof optionsOrBody === 'function' ? optionsOrBody : bodyOrNothing
    const { owners, locker } = this.#terms
    checkAcquireOptions(options, owners)
    if (typeof body !== 'function') throw new InvalidArgumentError('body', body, 'a function')
    const caller = this.#acquirer.callerOrNew(options.owner)
    const scope = new Scope(caller.owner, caller)
    const members = this.#grantedOrThrow(
      await this.#assemble(options, Number.POSITIVE_INFINITY, caller, scope),
      options,
    )
    if (caller !== owners.current()) caller.end()
    // The first one's is told of around the body.
    for (const { grant } of members.slice(1)) beginHold(traceOf(grant))
    return await runSection(new MultiHold(members, scope, owners, undefined), firstOf(members).grant, {
      body,
      scope,
      owners,
      onLost: options.onLost,
      onTrouble: (error) => locker.emit('error', error),
    })
  }

  /** Takes all of the locks, and waits for all of them together for at most `waitMs`. As `Lock.acquire`. */
  async acquire(options: AcquireOptions = NO_OPTIONS): Promise<MultiHold> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrNew(options.owner)
    const outcome = await this.#assemble(options, Number.POSITIVE_INFINITY, scope, scope)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  /** Takes all of the locks if they are free within `waitMs` (default 0: one attempt each); otherwise takes none and returns `null`. */
  async tryAcquire(options: AcquireOptions = NO_OPTIONS): Promise<MultiHold | null> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrNew(options.owner)
    const outcome = await this.#assemble(options, 0, scope, scope)
    if (isGranted(outcome)) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  /** Takes all of the locks for the owner of the surrounding scope; release them with {@link MultiLock.unlock}. As `Lock.lock`. */
  async lock(options: AcquireOptions = NO_OPTIONS): Promise<void> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrRefuse(options.owner, 'lock')
    const outcome = await this.#assemble(options, Number.POSITIVE_INFINITY, scope, scope)
    this.#leaveOpen(this.#grantedOrThrow(outcome, options), scope)
  }

  /** As {@link MultiLock.lock}, but waits for at most `waitMs` (default 0: one attempt each). Returns whether it got all of them. */
  async tryLock(options: AcquireOptions = NO_OPTIONS): Promise<boolean> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrRefuse(options.owner, 'tryLock')
    const outcome = await this.#assemble(options, 0, scope, scope)
    if (isGranted(outcome)) this.#leaveOpen(outcome, scope)
    else if (outcome.cause !== undefined) throw outcome.cause
    return isGranted(outcome)
  }

  /**
   * Unlocks each of the locks once, as its own `unlock()` would.
   *
   * @throws `NotOwnerError` if the owner does not hold one of them; then none is unlocked. Otherwise as {@link MultiHold.release}.
   */
  async unlock(options: UnlockOptions = NO_OPTIONS): Promise<void> {
    checkUnlockOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrRefuse(options.owner, 'unlock')
    const missing = this.locks.find(({ name, terms }) => !terms.openLocks.has(name, scope))
    if (missing) throw new NotOwnerError(missing.name, scope.owner)
    const holds = this.locks.map(({ name, terms }) => terms.openLocks.take(name, scope))
    await releaseAll(holds.filter((hold) => hold !== undefined))
  }

  /** Whether any owner holds any of the locks. */
  async isLocked(): Promise<boolean> {
    return (await Promise.all(this.locks.map((lock) => lock.isLocked()))).includes(true)
  }

  /** Whether `owner` (default: the surrounding scope's) holds all of the locks. */
  async isHeld(owner?: Owner): Promise<boolean> {
    return !(await Promise.all(this.locks.map((lock) => lock.isHeld(owner)))).includes(false)
  }

  #assemble(
    options: AcquireOptions,
    waitMs: number,
    caller: Scope,
    holder: Scope,
  ): Promise<readonly HeldMember[] | AcquireAllRefusal> {
    const { locker, owners, maxHoldMs } = this.#terms
    const { clock } = locker.schedule
    const { signal } = options
    const acquiring = new AcquireAll(
      this.#members,
      {
        caller,
        holder,
        unrelated: options.owner === undefined && caller !== owners.current(),
        waitMs: options.waitMs ?? waitMs,
        leaseMs: options.leaseMs,
        maxHoldMs: options.maxHoldMs ?? maxHoldMs,
        signal,
      },
      () => clock.now(),
    )
    const run = async (): Promise<readonly HeldMember[] | AcquireAllRefusal> => {
      const outcome = await acquiring.run()
      return 'name' in outcome ? outcome : this.#inOrderGiven(outcome)
    }
    if (!acquireChannel.hasSubscribers) return run()
    const told = { name: this.#acquirer.name, owner: caller.owner, signal, clock }
    return traceAcquire(told, run, (outcome) =>
      resultOf(isGranted(outcome) ? firstOf(outcome).grant : outcome),
    )
  }

  #inOrderGiven(grants: readonly HoldRecord[]): readonly HeldMember[] {
    return this.locks.flatMap(({ name, terms: { locker } }) => {
      const grant = grants.find(({ tenure }) => tenure.name === name)
      return grant ? [{ grant, locker }] : []
    })
  }

  #grantedOrThrow(
    outcome: readonly HeldMember[] | AcquireAllRefusal,
    options: AcquireOptions,
  ): readonly HeldMember[] {
    if (isGranted(outcome)) return outcome
    if (options.waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
    throw new LockTimeoutError(outcome.name, outcome.waitedMs, outcome, outcome.cause)
  }

  #begin(members: readonly HeldMember[], scope: Scope): MultiHold {
    const { owners } = this.#terms
    for (const { grant } of members) beginHold(traceOf(grant))
    const hold = new MultiHold(members, scope, owners, scope === owners.current() ? undefined : scope)
    return warnIfDropped(hold, members)
  }

  #leaveOpen(members: readonly HeldMember[], scope: Scope): void {
    const { holds } = this.#begin(members, scope)
    this.locks.forEach(({ terms }, index) => {
      const hold = holds[index]
      if (hold) terms.openLocks.add(hold, scope)
    })
  }
}

function isGranted(outcome: readonly HeldMember[] | AcquireAllRefusal): outcome is readonly HeldMember[] {
  return Array.isArray(outcome)
}

function firstOf(members: readonly HeldMember[]): HeldMember {
  const [first] = members
  if (!first) throw new TypeError('a multi-lock has members')
  return first
}

function checkLocks(locks: readonly Lock[], { owners }: KindContext): readonly Lock[] {
  if (!Array.isArray(locks) || locks.length === 0) {
    throw new InvalidArgumentError('locks', locks, 'an array of one or more locks')
  }
  const names = new Set<string>()
  for (const lock of locks) {
    if (!(lock instanceof Lock) || lock.terms.owners !== owners) {
      throw new InvalidArgumentError('locks', lock, 'locks of the Holdfast whose multiLock() was called')
    }
    // Kinds of one name can exclude each other; one member would then wait for the other for ever.
    if (names.has(lock.name)) throw new InvalidArgumentError('locks', lock.name, 'locks with different names')
    names.add(lock.name)
  }
  return [...locks]
}
