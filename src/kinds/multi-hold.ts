import { checkFunction } from '../base/checks/checks.js'
import { type Owner, type Owners, Scope } from '../base/identity/owner.js'
import type { SqlConnection } from '../port/sql-connection.js'
import type { Member } from './acquiring/grant.js'
import { releaseAll } from './acquiring/release-all.js'
import { Hold } from './hold.js'
import type { CallerOfOne } from './several/acquire-all.js'

/** A lock among several that were granted, with the owners of its client. */
interface OwnedMember extends Member {
  readonly owners: Owners
}

/** Several locks that were granted as one. */
export interface MultiGrant {
  readonly members: readonly [OwnedMember, ...OwnedMember[]]
  /** Who has them in each client but that of the multi-lock. */
  readonly others: ReadonlyMap<Owners, CallerOfOne>
}

/** One acquisition of several locks, to be released once. */
export class MultiHold implements AsyncDisposable {
  /** The locks' names, joined by commas. */
  readonly name: string
  /** The locks' names. */
  readonly names: readonly string[]
  /** The owner, the same for all locks of one `Holdfast`; the holds of others have their own. */
  readonly owner: Owner
  /** The hold of each lock, in the order of the names. Release them together, not one by one. */
  readonly holds: readonly Hold[]
  readonly #scope: Scope
  readonly #owners: Owners
  readonly #ownScope: Scope | undefined
  readonly #others: MultiGrant['others']
  #controller: AbortController | undefined

  /** @internal */
  constructor({ members, others }: MultiGrant, holder: Scope, owners: Owners, ownScope: Scope | undefined) {
    this.holds = members.map((member) => new Hold(member.grant, member.locker, member.owners, undefined))
    this.names = this.holds.map(({ name }) => name)
    this.name = this.names.join(', ')
    this.owner = holder.owner
    this.#scope = holder
    this.#owners = owners
    this.#ownScope = ownScope
    this.#others = others
  }

  /**
   * Aborts if any of the locks is lost before this hold is released, with that lock's `LockLostError` as its reason, or with a
   * `ClosedError` if the `Holdfast` is closed. A release does not abort it.
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

  /** How long all of the locks are certainly held, in milliseconds: the smallest of their times left. Sends nothing. */
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
   * Asks for more time for all of the locks, side by side; see {@link Hold.extend}.
   *
   * @param leaseMs whole milliseconds, counted from now. Minimum: 10.
   * @returns how long all of them are certainly held now, in milliseconds.
   * @throws the first error; the other locks may have been extended.
   */
  async extend(leaseMs: number): Promise<number> {
    await Promise.all(this.holds.map((hold) => hold.extend(leaseMs)))
    this.assertHeld()
    return this.remainingMs()
  }

  /**
   * Ties all of the locks to a transaction, one after the other; see {@link Hold.confirm}. Rejects with the first error: roll the
   * transaction back then.
   */
  async confirm(tx: SqlConnection): Promise<void> {
    for (const hold of this.holds) await hold.confirm(tx)
  }

  /**
   * Releases all of the locks; if one release fails, the others are still done. A second call does nothing.
   *
   * @throws `LockLostError` if any was lost, otherwise `StoreError` if any could not be released. If several failed, `cause` is an
   *   `AggregateError` of all.
   */
  release(): Promise<void> {
    return this.giveBack() ?? Promise.resolve()
  }

  /** @internal As {@link release}; undefined if it is done already, because all were handed over in memory. */
  giveBack(): Promise<void> | undefined {
    this.#ownScope?.end()
    for (const { holder, unrelated } of this.#others.values()) if (unrelated) holder.end()
    return releaseAll(this.holds)
  }

  /** Runs `body` as this hold's owner: calls in its asynchronous context re-enter the locks. Does not release them. */
  async run<Result>(body: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    checkFunction('body', body)
    const within = (holder: Scope): Scope => new Scope(holder.owner, holder.live())
    return await this.#inOthers(within, () => this.#owners.within(within(this.#scope), body))
  }

  /** @internal Runs the body of its section as the holder in the other clients, too. */
  enterOthers<Result>(body: () => Result | PromiseLike<Result>): Result | PromiseLike<Result> {
    return this.#inOthers((holder) => holder, body)
  }

  #inOthers<Result>(
    scopeOf: (holder: Scope) => Scope,
    body: () => Result | PromiseLike<Result>,
  ): Result | PromiseLike<Result> {
    let run = body
    for (const [owners, { holder }] of this.#others) {
      const inner = run
      run = () => owners.within(scopeOf(holder), inner)
    }
    return run()
  }

  /** `await using`: releases at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
