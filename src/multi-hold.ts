import { checkFunction } from './checks.js'
import type { Grant } from './core/grant.js'
import type { Locker } from './core/locker.js'
import { Hold } from './hold.js'
import { type Owner, type Owners, Scope } from './owner.js'
import { releaseAll } from './release-all.js'

/** @internal A member of a multi-lock, as it was granted. */
export interface HeldMember {
  readonly grant: Grant
  readonly locker: Locker
}

/** One acquisition of several locks, to be given back once. */
export class MultiHold implements AsyncDisposable {
  /** The locks' names, joined by commas. */
  readonly name: string
  /** The locks' names. */
  readonly names: readonly string[]
  /** Who holds: the same for all. */
  readonly owner: Owner
  /** The hold of each lock, in the order of the names. Given back together, not one by one. */
  readonly holds: readonly Hold[]
  readonly #scope: Scope
  readonly #owners: Owners
  readonly #ownScope: Scope | undefined
  #controller: AbortController | undefined

  /** @internal */
  constructor(members: readonly HeldMember[], holder: Scope, owners: Owners, ownScope: Scope | undefined) {
    this.holds = members.map(({ grant, locker }) => new Hold(grant, locker, owners, undefined))
    this.names = this.holds.map(({ name }) => name)
    this.name = this.names.join(', ')
    this.owner = holder.owner
    this.#scope = holder
    this.#owners = owners
    this.#ownScope = ownScope
  }

  /**
   * Aborts when any of the locks is lost while this hold stands, with that lock's `LockLostError` as its reason, or with a
   * `ClosedError` when the `Holdfast` is closed. A release does not abort it.
   */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController()
      this.#controller = controller
      for (const { signal } of this.holds) {
        if (signal.aborted) controller.abort(signal.reason)
        else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
      }
    }
    return this.#controller.signal
  }

  /** How long all of the locks are certain to be held yet, in milliseconds: the least of what each has. Asks nobody. */
  remainingMs(): number {
    return Math.min(...this.holds.map((hold) => hold.remainingMs()))
  }

  /**
   * Returns if all of the locks are still held; compares clocks itself.
   *
   * @throws `LockLostError` of the first that was lost; `NotOwnerError` after a release; `ClosedError` after a close.
   */
  assertHeld(): void {
    for (const hold of this.holds) hold.assertHeld()
  }

  /**
   * Gives all of the locks back; one that fails keeps none of the others. A second call does nothing.
   *
   * @throws `LockLostError` if any was lost, else `StoreError` if any could not be given back. Where there is more than one
   *   failure, `cause` is an `AggregateError` of all.
   */
  release(): Promise<void> {
    return this.giveBack() ?? Promise.resolve()
  }

  /** @internal As {@link release}; undefined when that is done already, since all were handed over in memory. */
  giveBack(): Promise<void> | undefined {
    this.#ownScope?.end()
    return releaseAll(this.holds)
  }

  /** Runs `body` as this hold's owner: in its asynchronous context the locks are re-entered. Does not release. */
  async run<Result>(body: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    checkFunction('body', body)
    return await this.#owners.within(new Scope(this.owner, this.#scope.live()), body)
  }

  /** `await using`: releases at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
