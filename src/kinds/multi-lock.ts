import { AcquireAll, type AcquireAllRefusal, type Member as Sought } from '../core/acquire/acquire-all.js'
import type { Call } from '../core/acquire/call.js'
import { InvalidArgumentError, NotOwnerError } from '../errors/errors.js'
import { Acquirer, type KindContext, type Members, NO_OPTIONS } from '../facade/acquirer.js'
import { type AcquireOptions, checkUnlockOptions, type UnlockOptions } from '../facade/options.js'
import { releaseAll } from '../facade/release-all.js'
import type { Section } from '../facade/section.js'
import type { Owner, Scope } from '../identity/owner.js'
import { Lock } from './lock.js'
import { MultiHold } from './multi-hold.js'

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
  readonly #acquirer: MultiAcquirer

  /** @internal */
  constructor(locks: readonly Lock[], plain: KindContext) {
    this.locks = checkLocks(locks, plain)
    this.#acquirer = new MultiAcquirer(this.locks, plain)
  }

  /**
   * Takes all of the locks, runs `body`, and releases them when the body has settled. As `Lock.withLock`; `waitMs` covers all of them
   * together, and `leaseMs` begins when all are held.
   */
  withLock<Result>(body: MultiSection<Result>): Promise<Awaited<Result>>
  withLock<Result>(options: AcquireOptions, body: MultiSection<Result>): Promise<Awaited<Result>>
  withLock<Result>(
    optionsOrBody: AcquireOptions | MultiSection<Result>,
    bodyOrNothing?: MultiSection<Result>,
  ): Promise<Awaited<Result>> {
    return typeof optionsOrBody === 'function'
      ? this.#acquirer.withLock(NO_OPTIONS, optionsOrBody)
      : this.#acquirer.withLock(optionsOrBody, bodyOrNothing)
  }

  /** Takes all of the locks, and waits for all of them together for at most `waitMs`. As `Lock.acquire`. */
  acquire(options: AcquireOptions = NO_OPTIONS): Promise<MultiHold> {
    return this.#acquirer.acquire(options)
  }

  /** Takes all of the locks if they are free within `waitMs` (default 0: one attempt each); otherwise takes none and returns `null`. */
  tryAcquire(options: AcquireOptions = NO_OPTIONS): Promise<MultiHold | null> {
    return this.#acquirer.tryAcquire(options)
  }

  /** Takes all of the locks for the owner of the surrounding scope; release them with {@link MultiLock.unlock}. As `Lock.lock`. */
  async lock(options: AcquireOptions = NO_OPTIONS): Promise<void> {
    const scope = this.#acquirer.callerOrRefuse(options, 'lock')
    this.#leaveOpen(await this.#acquirer.acquire(options, undefined, scope), scope)
  }

  /** As {@link MultiLock.lock}, but waits for at most `waitMs` (default 0: one attempt each). Returns whether it got all of them. */
  async tryLock(options: AcquireOptions = NO_OPTIONS): Promise<boolean> {
    const scope = this.#acquirer.callerOrRefuse(options, 'tryLock')
    const hold = await this.#acquirer.tryAcquire(options, undefined, scope)
    if (hold) this.#leaveOpen(hold, scope)
    return hold !== null
  }

  /**
   * Unlocks each of the locks once, as its own `unlock()` would.
   *
   * @throws `NotOwnerError` if the owner does not hold one of them; then none is unlocked. Otherwise as {@link MultiHold.release}.
   */
  async unlock(options: UnlockOptions = NO_OPTIONS): Promise<void> {
    const scope = this.#acquirer.callerOrRefuse(options, 'unlock', checkUnlockOptions)
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

  #leaveOpen({ holds }: MultiHold, scope: Scope): void {
    this.locks.forEach(({ terms }, index) => {
      const hold = holds[index]
      if (hold) terms.openLocks.add(hold, scope)
    })
  }
}

/** The way in to several locks as one. */
class MultiAcquirer extends Acquirer<Members, MultiHold> {
  readonly #locks: readonly Lock[]
  /** The locks in the order in which all callers take them. */
  readonly #inOrder: readonly Sought[]

  constructor(locks: readonly Lock[], plain: KindContext) {
    super(locks.map(({ name }) => name).join(', '), plain)
    this.#locks = locks
    const placeOf = (name: string): number => plain.locker.port.together?.placeOf(name) ?? 0
    this.#inOrder = locks
      .map(({ name, terms: { locker, polls } }) => ({ name, locker, polls, place: placeOf(name) }))
      .sort((one, other) => one.place - other.place || (one.name < other.name ? -1 : 1))
  }

  protected async take(call: Call): Promise<Members | AcquireAllRefusal> {
    const { clock } = this.context.locker.schedule
    const outcome = await new AcquireAll(this.#inOrder, call, () => clock.now()).run()
    if ('name' in outcome) return outcome
    const [first, ...others] = this.#locks.flatMap(({ name, terms: { locker } }) => {
      const grant = outcome.find(({ tenure }) => tenure.name === name)
      return grant ? [{ grant, locker }] : []
    })
    if (!first) throw new TypeError('a multi-lock has members')
    return [first, ...others]
  }

  protected membersOf(members: Members): Members {
    return members
  }

  protected holdOf(members: Members, holder: Scope, ownScope: Scope | undefined): MultiHold {
    return new MultiHold(members, holder, this.context.owners, ownScope)
  }
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
