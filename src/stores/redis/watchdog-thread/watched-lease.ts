import type { Owner } from '../../../base/identity/owner.js'
import type { Clock } from '../../../base/time/clock.js'
import type { LeaseThreadListener, ThreadLease } from '../../../port/lease-thread.js'
import type { LeaseKind } from '../renewals/lease-renewals.js'
import { leaseTimeOf } from './instant.js'
import { SharedDeadline } from './shared-deadline.js'
import type { ThreadSession } from './thread-session.js'

/** A lease that the thread renews. Its deadline comes from shared memory, where the thread writes it. */
export class WatchedLease implements ThreadLease {
  /** The thread that renews it; undefined while there is none. */
  session: ThreadSession | undefined
  readonly #shared = new SharedDeadline()
  #stamp = 0n
  #renewUntil: number
  #deadline: number

  constructor(
    readonly id: number,
    readonly of: LeaseKind,
    readonly name: string,
    readonly owner: Owner,
    deadline: number,
    renewUntil: number,
    readonly listener: LeaseThreadListener,
    private readonly clock: Clock,
    readonly tell: { changed(lease: WatchedLease): void; removed(lease: WatchedLease): void },
  ) {
    this.#deadline = deadline
    this.#renewUntil = renewUntil
  }

  /** Where the thread writes its deadlines. */
  get memory(): SharedArrayBuffer {
    return this.#shared.memory
  }

  /**
   * When the lease ends unless renewed, on the lease clock; −Infinity once it is surely lost. Reads shared memory, without a message:
   * right at any moment, also in the first step after the event loop was blocked.
   */
  get deadline(): number {
    const { stamp } = this.#shared
    if (!this.session || stamp === this.#stamp) return this.#deadline
    this.#stamp = stamp
    const told = this.#shared.read(stamp)
    // The lease clock counts the time that the machine sleeps.
    if (told === 'lost') this.#deadline = -Infinity
    else if (told) this.#lengthen(leaseTimeOf(told, this.clock))
    return this.#deadline
  }

  /** The main thread has renewed it itself: the lease lasts at least until then. A lost one stays lost. */
  extend(deadline: number): void {
    if (deadline > this.deadline && this.#lengthen(deadline)) this.tell.changed(this)
  }

  /** Until when the thread renews it, on the lease clock (`maxHoldMs`). */
  get renewUntil(): number {
    return this.#renewUntil
  }

  set renewUntil(renewUntil: number) {
    if (renewUntil === this.#renewUntil) return
    this.#renewUntil = renewUntil
    this.tell.changed(this)
  }

  /** Ends the renewals. Call it before you send the last release (rule L5). A second call does nothing. */
  remove(): void {
    this.tell.removed(this)
  }

  #lengthen(deadline: number): boolean {
    if (this.#deadline === -Infinity || deadline <= this.#deadline) return false
    this.#deadline = deadline
    return true
  }

  /** That thread renews it from now on; undefined: none does, and the last deadline counts. */
  renewedBy(session: ThreadSession | undefined): void {
    // What the former thread has written last.
    this.#deadline = this.deadline
    this.session = session
  }
}
