import { LinkedSet } from '../../base/collections/linked-set.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Tenure } from '../tenure/tenure.js'
import type { Waiter } from './waiter.js'

const NOBODY: readonly Waiter[] = []

/**
 * The waiters of one lock in this process, first in, first out (rule W3). Decides who may act; wakes nobody itself.
 */
export class WaitQueue {
  /** Calls that have had to wait and still do. */
  waiting = 0
  readonly #waiters = new LinkedSet<Waiter>()
  /** What tells those that wait for the answer to another call's request. */
  #untold: Set<() => void> | undefined
  /** Waiters that act in a scope others may share, by owner: only among them can there be siblings. */
  #related: Map<Owner, Set<Waiter>> | undefined

  join(waiter: Waiter): void {
    this.#waiters.add(waiter)
    if (waiter.call.unrelated) return
    this.#related ??= new Map()
    const related = this.#related.get(waiter.caller.owner)
    if (related) related.add(waiter)
    else this.#related.set(waiter.caller.owner, new Set([waiter]))
  }

  leave(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return
    const { owner } = waiter.caller
    const related = this.#related?.get(owner)
    related?.delete(waiter)
    if (related?.size === 0) this.#related?.delete(owner)
  }

  /**
   * The one that speaks to the store for all: the first in line. While the process itself holds the lock, waiters of the same
   * owner do not count: they are let in by reentry or not at all.
   */
  contender(holder: Tenure | undefined): Waiter | undefined {
    let waiter = this.#waiters.first
    while (waiter && holder && waiter.caller.owner === holder.owner) waiter = waiter.behind
    return waiter
  }

  /** The one to whom a lock of this process may be handed: the first in line, unless it has a command of its own under way. */
  successor(): Waiter | undefined {
    let waiter = this.#waiters.first
    // One that makes a single attempt does not wait, it only happens to stand here.
    while (waiter && waiter.call.waitMs === 0) waiter = waiter.behind
    return waiter?.resting ? waiter : undefined
  }

  /** Those outside that tenure who might as well be within; they may be in a section on the other side. */
  admittedBy(tenure: Tenure): readonly Waiter[] {
    if (!this.#related) return NOBODY
    return [...this.#of(tenure.owner)].filter(({ caller }) => tenure.admits(caller))
  }

  /** The first waiter of the same owner that came before this one. */
  ahead(of: Waiter): Waiter | undefined {
    const first = this.firstOf(of.caller.owner, of.within)
    return first === of ? undefined : first
  }

  /** The first waiter of that owner, of those within a section on the other side or of those that are not. */
  firstOf(owner: Owner, within = false): Waiter | undefined {
    for (const waiter of this.#of(owner)) if (waiter.within === within) return waiter
    return undefined
  }

  /** Whether a waiter acts for that owner. */
  actsFor(owner: Owner): boolean {
    return this.#related?.has(owner) === true
  }

  #of(owner: Owner): Iterable<Waiter> {
    return this.#related?.get(owner) ?? NOBODY
  }

  /** Whether one of them has a request under way. */
  get asking(): boolean {
    return this.contender(undefined)?.attempting === true
  }

  /** The one that has a request under way as that owner. */
  askingAs(owner: Owner): Waiter | undefined {
    for (const waiter of this.#waiters) if (waiter.attempting && waiter.askedAs === owner) return waiter
    return undefined
  }

  /** Calls back, once, when the store has answered one of them, or when its request has ended. */
  tell(listener: () => void): void {
    this.#untold ??= new Set()
    this.#untold.add(listener)
  }

  /** It need not be told any more. */
  spare(listener: () => void): void {
    this.#untold?.delete(listener)
  }

  /** A request of one of them has ended. */
  told(): void {
    const untold = this.#untold
    if (!untold) return
    this.#untold = undefined
    for (const tell of untold) tell()
  }

  all(): Iterable<Waiter> {
    return this.#waiters
  }

  /** Whether another waiter acts for the same owner. */
  hasOther(than: Waiter): boolean {
    for (const waiter of this.#of(than.caller.owner)) if (waiter !== than) return true
    return false
  }

  /** Whether anybody waits, and does not only make one attempt. */
  get waits(): boolean {
    for (const { call } of this.all()) if (call.waitMs > 0) return true
    return false
  }

  get empty(): boolean {
    return this.#waiters.size === 0
  }
}
