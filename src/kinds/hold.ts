import { checkFunction } from '../base/checks/checks.js'
import {
  InvalidArgumentError,
  type LockLostError,
  type NotOwnerError,
  releasedHold,
} from '../base/errors/errors.js'
import { type Owner, type Owners, Scope } from '../base/identity/owner.js'
import { newTicket } from '../base/identity/ticket.js'
import type { Locker } from '../core/locker.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import type { SqlConnection } from '../port/sql-connection.js'
import { encodeSequencer } from './fencing/sequencer.js'
import { checkLease } from './options/options.js'

/** One acquisition of a lock, to be released once. An owner's holds stack; the lock is free when the last is released. */
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
    this.fence = grant.tenure.fence
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
    if (grant.released) throw releasedHold(this.name, this.owner)
  }

  /**
   * Asks for more time: the lock stays held for at least `leaseMs` from now, unless it is released. Never shortens the time left. Sends one
   * request, and repeats it while the store fails for the moment, until `storeTimeoutMs` or the lease is over; an extension counts once,
   * however often Holdfast sends it.
   *
   * The time belongs to the lock: all holds of this owner have it, and keep it when this hold is released. A hold that the watchdog renews
   * needs no extension, except before work that blocks the event loop; the watchdog goes on renewing it.
   *
   * @param leaseMs whole milliseconds, counted from now. Minimum: 10.
   * @returns how long the lock is certainly held now, as {@link Hold.remainingMs} says: a little less than `leaseMs`, or more if more was
   *   left.
   * @throws {@link LockLostError} if the lock was lost, now or before; {@link NotOwnerError} if this hold was released.
   * @throws `InvalidArgumentError` if `leaseMs` is no lease.
   * @throws `StoreError` if the store failed. The hold is in force for the time that it had; the store may keep the lock for longer.
   * @throws `ClosedError` if the `Holdfast` was closed.
   */
  async extend(leaseMs: number): Promise<number> {
    checkLease(leaseMs)
    this.assertHeld()
    await this.#locker.extend(this.#grant, leaseMs)
    this.assertHeld()
    return this.remainingMs()
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

  /**
   * Gives this hold up for another process or a later job: the lock stays held until somebody adopts it with the ticket that this returns
   * ({@link Lock.adopt}), or `leaseMs` is over. The ticket is a secret: whoever has it can take the lock, once. The store, events and
   * errors do not reveal it.
   *
   * For `lock`, `fairLock`, `fencedLock` and `spinLock`; not for stores whose locks end with a connection or a session.
   *
   * @param leaseMs how long the lock stays taken without being adopted, in whole milliseconds. Minimum: 10.
   * @throws `InvalidArgumentError` if `leaseMs` is no lease, the owner has other holds of the lock, or the store cannot pass it on; the
   *   hold is unchanged. If the owner was granted another one meanwhile, this one is released, and the owner has the other.
   * @throws {@link LockLostError} if the lock was lost; {@link NotOwnerError} if this hold was released.
   * @throws `StoreError` if the store failed. The hold is released, and nobody has a ticket: Holdfast frees the lock when the store answers
   *   again, or its lease or `leaseMs` ends.
   */
  async detach(leaseMs: number): Promise<string> {
    checkLease(leaseMs)
    this.assertHeld()
    const { tenure } = this.#grant
    const { kind, port, schedule } = this.#locker
    const refused = (accepted: string, found: string): InvalidArgumentError =>
      new InvalidArgumentError('hold', this, accepted, { lockName: this.name, found: `is one of ${found}` })
    const notAlone = (holds: number): InvalidArgumentError => refused('the only one of its owner', `${holds}`)
    if (port.bound || kind.shared)
      throw refused(
        'one of a lock whose store does not end it with a connection or a session',
        `a ${kind.name}`,
      )
    if (tenure.holds.length > 1) throw notAlone(tenure.holds.length)
    const { text, owner } = newTicket(this.name)
    tenure.kept = { until: schedule.clock.now() + leaseMs, as: owner }
    await this.release()
    const { holdsLeft } = this.#grant
    if (holdsLeft > 0) throw notAlone(holdsLeft + 1)
    return text
  }

  /** @internal The lock stays taken until so long after its grant, however soon this hold is released. */
  keepFor(atLeastMs: number): void {
    const { tenure, grantedAt } = this.#grant
    tenure.kept = { until: grantedAt + atLeastMs }
  }

  /** @internal The watchdog stops renewing for this hold, because nothing is left to release it. */
  stopRenewing(): void {
    if (this.#grant.renewUntil !== undefined) this.#grant.renewUntil = -Infinity
  }
}
