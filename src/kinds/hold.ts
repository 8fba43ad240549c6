import type { Locker } from '../core/locker.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import { type LockLostError, NotOwnerError } from '../errors/errors.js'
import { checkFunction } from '../facade/checks.js'
import { encodeSequencer } from '../fence/sequencer.js'
import { type Owner, type Owners, Scope } from '../identity/owner.js'
import type { SqlConnection } from '../transactions/connection.js'

/**
 * One acquisition of a lock, to be released once. An owner's holds stack; the lock is free when the last is released.
 */
export class Hold implements AsyncDisposable {
  /** The lock's name. */
  readonly name: string
  /** The owner: `<clientId>:<number>`. */
  readonly owner: Owner
  /**
   * The fencing token, if the kind of lock has one: it grows with each new tenure of the lock. A resource that remembers the
   * greatest token it has seen and refuses smaller ones is safe from late writers.
   */
  readonly fence: bigint | undefined
  readonly #grant: HoldRecord
  readonly #locker: Locker
  readonly #owners: Owners
  readonly #ownScope: Scope | undefined
  #controller: AbortController | undefined

  /** @internal */
  constructor(grant: HoldRecord, locker: Locker, owners: Owners, ownScope: Scope | undefined) {
    this.name = grant.tenure.name
    this.owner = grant.tenure.owner
    this.fence = grant.fence
    this.#grant = grant
    this.#locker = locker
    this.#owners = owners
    this.#ownScope = ownScope
  }

  /**
   * Aborts if the lock is lost before this hold is released, with the {@link LockLostError} as its reason: pass it to everything that
   * the guarded work awaits. Closing the `Holdfast` aborts it too, with a `ClosedError`, because Holdfast no longer detects a loss
   * then. A release does not abort it.
   */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController()
      this.#controller = controller
      this.#grant.onEnd = (reason) => controller.abort(reason)
      if (this.#grant.endedBy) controller.abort(this.#grant.endedBy)
    }
    return this.#controller.signal
  }

  /**
   * How long the lock is certainly held without another renewal, in milliseconds, by the local clock, less a margin for clock drift.
   * 0 once it is lost or released. Sends nothing.
   */
  remainingMs(): number {
    const { tenure, released, loss } = this.#grant
    if (released || loss) return 0
    return Math.max(tenure.deadline - this.#locker.schedule.clock.now(), 0)
  }

  /**
   * A text to pass on to a resource, which calls `holdfast.checkSequencer(text)` to check that this same tenure still holds the lock
   * (Chubby's sequencer). For holds of `fencedLock` and `readWriteLock`.
   *
   * @throws `InvalidArgumentError` if the hold has no fencing token.
   */
  sequencer(): string {
    const { name, fence } = this
    const { name: kind, shared } = this.#locker.kind
    const mode = shared ? 'shared' : 'exclusive'
    return encodeSequencer({ kind, name, mode, owner: this.#grant.tenure.storedAs, fence })
  }

  /**
   * Returns if the lock is still held; call it right before a step that must not happen twice. It compares clocks itself, so it is
   * right even if the event loop was blocked or the machine asleep and no timer has fired yet (rule L3).
   *
   * @throws {@link LockLostError} if the lock was lost; `signal` has then aborted.
   * @throws {@link NotOwnerError} if this hold was released.
   * @throws `ClosedError` if the `Holdfast` was closed.
   */
  assertHeld(): void {
    const grant = this.#grant
    if (!grant.released) this.#locker.stillHeld(grant)
    if (grant.endedBy) throw grant.endedBy
    if (grant.released) throw new NotOwnerError(this.name, this.owner)
  }

  /**
   * Ties the lock to a transaction of the application, in the database that keeps the lock: nobody else gets the lock before the
   * transaction has ended, even if this process stands still and its lease ends, if the hold is released, or if somebody forces the lock
   * open. So what the transaction writes in that database needs no fencing token. Call it anywhere in the transaction, for each one that
   * writes under the lock. The tie ends with COMMIT, ROLLBACK or the connection, or when the transaction rolls back to a savepoint that
   * was set before.
   *
   * For `lock`, `fairLock`, `fencedLock`, `spinLock` and `readWriteLock` of holdfast/postgres and holdfast/mysql. After any error roll the
   * transaction back. See docs/transactions.md.
   *
   * @param tx the application's connection, with a transaction open; nothing else may run on it until the call settles
   * @throws {@link LockLostError} if the lock was lost; {@link NotOwnerError} if this hold was released.
   * @throws `InvalidArgumentError` if `tx` is no transaction in the database that keeps the lock, or the store is in none.
   * @throws `NoTransactionError` if no transaction is open on that connection.
   * @throws `StoreError` if the database failed. The lock may be tied then.
   * @throws `ClosedError` if the `Holdfast` was closed.
   */
  async confirm(tx: SqlConnection): Promise<void> {
    this.assertHeld()
    await this.#locker.tie(this.#grant, tx)
    const { loss } = this.#grant
    if (loss) throw loss
  }

  /**
   * Releases this hold; the lock is free if it was the owner's last. A second call does nothing.
   *
   * @throws {@link LockLostError} if the lock was lost. The store is unchanged.
   * @throws `StoreError` if the store is out of reach. The lock is then free when its lease ends, or before.
   * @throws `ClosedError` if the `Holdfast` was closed. The lock is then free when its lease ends.
   */
  release(): Promise<void> {
    return this.giveBack() ?? Promise.resolve()
  }

  /** @internal As {@link release}; undefined if it is done already, because the lock was handed over in memory. */
  giveBack(): Promise<void> | undefined {
    this.#ownScope?.end()
    return this.#locker.release(this.#grant)
  }

  /**
   * Runs `body` as this hold's owner: calls in its asynchronous context re-enter the lock instead of waiting. Does not release it.
   *
   * @returns the result of `body`, and rejects as it rejects.
   */
  async run<Result>(body: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    checkFunction('body', body)
    return await this.#owners.within(new Scope(this.owner, this.#grant.scope.live()), body)
  }

  /** `await using`: releases at the end of the block. Rejects with {@link LockLostError} if the lock was lost. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** @internal The watchdog stops renewing for this hold, because nothing is left to release it. */
  stopRenewing(): void {
    if (this.#grant.renewUntil !== undefined) this.#grant.renewUntil = -Infinity
  }
}
