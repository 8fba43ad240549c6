import { InvalidArgumentError, NoOwnerError, NotOwnerError } from '../base/errors/errors.js'
import { quoted } from '../base/errors/holdfast-error.js'
import { type Owner, type Owners, Scope } from '../base/identity/owner.js'
import type { Call } from '../core/acquire/call.js'
import { Acquirer, type KindContext } from './acquiring/acquirer.js'
import { releaseAll } from './acquiring/release-all.js'
import { optionsAndBody, type Section } from './acquiring/section.js'
import { Lock } from './lock.js'
import { type MultiGrant, MultiHold } from './multi-hold.js'
import { type AcquireOptions, checkUnlockOptions, NO_OPTIONS, type UnlockOptions } from './options/options.js'
import { AcquireAll, type AcquireAllRefusal, type Sought } from './several/acquire-all.js'

/** The body of a multi-lock's `withLock` section. */
export type MultiSection<Result> = Section<Result, MultiHold>

/**
 * Several locks as one: an acquisition holds all of them, or none. All callers take them in the same order, whatever order they list
 * them in, so they cannot deadlock. Each is an ordinary hold of its lock, re-entered, renewed, handed over and lost by the same
 * rules. The locks may be of several `Holdfast`s, on several stores.
 */
export class MultiLock {
  /** The locks, in the given order. */
  readonly locks: readonly Lock[]
  readonly #acquirer: MultiAcquirer

  /** @internal */
  constructor(locks: readonly Lock[], plain: KindContext) {
    this.locks = checkLocks(locks)
    this.#acquirer = new MultiAcquirer(this.locks, plain)
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
    const [options, body] = optionsAndBody(optionsOrBody, bodyOrNothing)
    const section = body && ((hold: MultiHold) => hold.enterOthers(() => body(hold)))
    return await this.#acquirer.withLock(options, typeof body === 'function' ? section : body)
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
    const scope = this.#callerOrRefuse(options, 'lock')
    this.#leaveOpen(await this.#acquirer.acquire(options, undefined, scope), scope)
  }

  /** As {@link MultiLock.lock}, but waits for at most `waitMs` (default 0: one attempt each). Returns whether it got all of them. */
  async tryLock(options: AcquireOptions = NO_OPTIONS): Promise<boolean> {
    const scope = this.#callerOrRefuse(options, 'tryLock')
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
    const called = this.locks.map(({ name, terms }) => {
      return { name, open: terms.openLocks, caller: this.#callerOf(terms, scope) }
    })
    const missing = called.find(({ name, open, caller }) => !caller || !open.has(name, caller))
    if (missing) throw new NotOwnerError(missing.name, scope.owner)
    const holds = called.map(({ name, open, caller }) => caller && open.take(name, caller))
    await releaseAll(holds.filter((hold) => hold !== undefined))
  }

  /** Whether any owner holds any of the locks. */
  async isLocked(): Promise<boolean> {
    return (await Promise.all(this.locks.map((lock) => lock.isLocked()))).includes(true)
  }

  /** Whether `owner` (default: the surrounding scope's) holds all of the locks. Those of another `Holdfast` have its own owner. */
  async isHeld(owner?: Owner): Promise<boolean> {
    const isOwn = ({ terms }: Lock): boolean => terms.owners === this.#acquirer.context.owners
    const held = this.locks.map((lock) => lock.isHeld(isOwn(lock) ? owner : undefined))
    return !(await Promise.all(held)).includes(false)
  }

  /** The scope that calls, if there is one in each client of its locks. */
  #callerOrRefuse(options: AcquireOptions, method: string): Scope {
    const scope = this.#acquirer.callerOrRefuse(options, method)
    const unowned = this.locks.find(({ terms }) => !this.#callerOf(terms, scope))
    if (unowned) throw new NoOwnerError(unowned.name, method)
    return scope
  }

  /** Who calls, in the client of that lock. */
  #callerOf({ owners }: KindContext, own: Scope): Scope | undefined {
    return owners === this.#acquirer.context.owners ? own : owners.current()
  }

  #leaveOpen({ holds }: MultiHold, scope: Scope): void {
    this.locks.forEach(({ terms }, index) => {
      const hold = holds[index]
      const caller = this.#callerOf(terms, scope)
      if (hold && caller) terms.openLocks.add(hold, caller)
    })
  }
}

interface OrderedLock extends Sought {
  readonly owners: Owners
}

/** The way in to several locks as one. */
class MultiAcquirer extends Acquirer<MultiGrant, MultiHold> {
  readonly #locks: readonly Lock[]
  /** The locks in the order in which all callers take them, of whatever stores: what it goes by is the same in every process. */
  readonly #inOrder: readonly OrderedLock[]

  constructor(locks: readonly Lock[], plain: KindContext) {
    super(locks.map(({ name }) => name).join(', '), plain)
    this.#locks = locks
    this.#inOrder = locks
      .map(({ name, terms }) => ({ ...terms, name, place: terms.placeOf(name) }))
      .sort((one, other) => one.place - other.place || (one.name < other.name ? -1 : 1))
  }

  protected async take(call: Call): Promise<MultiGrant | AcquireAllRefusal> {
    const { clock } = this.context.locker.schedule
    const others = this.#callersElsewhere(call)
    const sought = this.#inOrder.map((lock) => ({ ...lock, by: others.get(lock.owners) }))
    const outcome = await new AcquireAll(sought, call, () => clock.now()).run()
    if ('name' in outcome) return outcome
    const [first, ...rest] = this.#locks.flatMap(({ terms: { locker, owners }, name }) => {
      const grant = outcome.find(({ tenure }) => tenure.name === name)
      return grant ? [{ grant, locker, owners }] : []
    })
    if (!first) throw new TypeError('a multi-lock has members')
    return { members: [first, ...rest], others }
  }

  protected membersOf({ members }: MultiGrant): MultiGrant['members'] {
    return members
  }

  protected holdOf(grant: MultiGrant, holder: Scope, ownScope: Scope | undefined): MultiHold {
    return new MultiHold(grant, holder, this.context.owners, ownScope)
  }

  /** Who calls in the other clients that have locks among these, as far as the running code is in a scope of theirs; else a new owner. */
  #callersElsewhere(call: Call): MultiGrant['others'] {
    const elsewhere = new Set(this.#inOrder.map(({ owners }) => owners))
    elsewhere.delete(this.context.owners)
    const callers = [...elsewhere].map((owners) => {
      const current = owners.current()
      const caller = current ?? new Scope(owners.next(), undefined)
      // A section is a scope of its own.
      const holder = current && call.holder !== call.caller ? new Scope(current.owner, current) : caller
      return [owners, { caller, holder, unrelated: !current }] as const
    })
    return new Map(callers)
  }
}

export const MULTI_LOCK_EXAMPLE = "multiLock([holdfast.lock('a'), holdfast.lock('b')])"

function checkLocks(locks: readonly Lock[]): readonly Lock[] {
  if (!Array.isArray(locks) || locks.length === 0) {
    throw new InvalidArgumentError('locks', locks, `an array of locks, as in ${MULTI_LOCK_EXAMPLE}`)
  }
  const names = new Set<string>()
  for (const [index, lock] of locks.entries()) {
    if (!(lock instanceof Lock)) throw noLock(`locks[${index}]`, lock)
    // Kinds of one name can exclude each other; one member would then wait for the other for ever. And names are what all callers go by.
    if (names.has(lock.name))
      throw new InvalidArgumentError('locks', locks, 'locks with different names', {
        found: `has ${quoted(lock.name)} twice`,
      })
    names.add(lock.name)
  }
  return [...locks]
}

function noLock(argument: string, found: unknown): InvalidArgumentError {
  if (typeof found !== 'object' || found === null || !('forceUnlock' in found))
    return new InvalidArgumentError(argument, found, `a lock of a Holdfast, as in ${MULTI_LOCK_EXAMPLE}`)
  const accepted = 'locks of one copy: import it everywhere, or require it everywhere, in one version'
  return new InvalidArgumentError(argument, found, accepted, {
    found: 'is a lock of another copy of Holdfast in this process',
  })
}
