import type { Owner } from '../owner.js'
import type { AcquireReply, GrantedReply, LockPort, News, Watch } from '../store.js'
import type { Clock } from './clock.js'
import { Outage } from './outage.js'
import { WaitQueue } from './queue.js'
import type { Tenure } from './tenure.js'
import type { Waiter } from './waiter.js'

/** How long a process that had its share leaves the lock to others: for them to hear of it and ask, which is two round trips. */
export const STEP_BACK_MS = 2

/** A process of spin locks that had its share pauses like a waiter that has asked so often: by default 8 to 16 ms, of 128. */
const STEP_ASIDE_ATTEMPTS = 5

/**
 * Where the calls of one process for one lock meet: who of them holds it, who waits, and the watch they share. This one is for
 * a lock that one owner has at a time: one of the process's waiters speaks to the store for all. Where several may hold, or the
 * store keeps the line itself, shared-gate.ts and line-gate.ts say what differs.
 */
export class Gate {
  readonly queue = new WaitQueue()
  /** The store's failures, as the calls here have met them one after the other: the time of each counts for all. */
  readonly outage = new Outage()
  /** The tenure of this process, as far as known. */
  tenure: Tenure | undefined
  /** Calls that have had to wait and still do. */
  waiting = 0
  /** Calls at work here; the gate is dropped when there are none and nothing is held. */
  callers = 0
  /** Something was announced that nobody has looked into yet. */
  news = false
  /** How often the store has announced something. */
  heard = 0
  #watch: Watch | undefined
  #watchConfirmed = false
  #watchFailure: unknown
  #backUntil = Number.NEGATIVE_INFINITY
  #ownNewsToCome = false
  #turnsToPass = 0

  constructor(
    readonly name: string,
    protected readonly port: LockPort,
    protected readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** This process's tenures, as far as known. */
  get tenures(): readonly Tenure[] {
    return this.tenure ? [this.tenure] : []
  }

  /** The tenure that a call for `owner` meets first: its own, or one that stands in its way. */
  tenureMetBy(_owner: Owner): Tenure | undefined {
    return this.tenure
  }

  /** Whether this process has a tenure. */
  get held(): boolean {
    return this.tenure !== undefined
  }

  began(tenure: Tenure): void {
    this.tenure = tenure
    this.stepForward()
  }

  ended(tenure: Tenure): void {
    if (this.tenure === tenure) this.tenure = undefined
  }

  /** The tenures that cannot be, now that the store has granted the lock for another. */
  disprovedBy(granted: Tenure): readonly Tenure[] {
    return this.tenure && this.tenure !== granted ? [this.tenure] : []
  }

  /** Whether this waiter may talk to the store now. */
  speaks(waiter: Waiter, tenure: Tenure | undefined): boolean {
    return this.queue.contender(tenure) === waiter
  }

  /** Until when a waiter that speaks need not ask, since what it would hear is known; in the past when it has to. */
  restsUntil(_waiter: Waiter): number {
    return Number.NEGATIVE_INFINITY
  }

  /** The waiter of this process to whom the lock may be handed over, if any. */
  heir(): Waiter | undefined {
    return this.queue.heir()
  }

  /** What the store has answered to a waiter's attempt. */
  answered(_waiter: Waiter, _reply: AcquireReply, _covered: boolean): void {}

  /** A waiter was granted the lock: whatever was announced before, it was before this. */
  entered(_reply: GrantedReply): void {
    this.news = false
  }

  /** A waiter's call has ended. */
  left(_waiter: Waiter): void {
    this.next()
  }

  /** The store has announced something: one contender looks into it, whoever else waits sleeps on (no thundering herd). */
  announce(_news?: News): void {
    const letOthers = this.#ownNewsToCome || this.#turnsToPass > 0
    if (!this.#ownNewsToCome && this.#turnsToPass > 0) this.#turnsToPass -= 1
    this.#ownNewsToCome = false
    this.#backUntil = letOthers ? this.clock.now() + STEP_BACK_MS : Number.NEGATIVE_INFINITY
    this.news = true
    this.queue.contender(this.tenure)?.wakeUp.release()
  }

  /** Possession in this process has changed: wakes the one waiter whose turn it may be. */
  next(_owner?: Owner): void {
    const holder = this.tenure
    if (holder?.state === 'held') {
      const waiter = this.queue.reentrant(holder)
      if (waiter) {
        waiter.wakeUp.release()
        return
      }
      // Nothing is left to do for whoever comes next: the end of this possession is heard of without a command.
      if (this.watched && !this.news) return
    }
    this.queue.contender(holder)?.wakeUp.release()
  }

  /** This call cannot use the lock now, for a reason of its own: the calls behind it go first. */
  stepBehind(waiter: Waiter): void {
    this.queue.leave(waiter)
    this.queue.join(waiter)
    this.next(waiter.caller.owner)
    // It pauses even if no other call waits.
    waiter.wakeUp.drain()
  }

  /** A release is about to be sent. What is announced next is that: it may come before the answer or after. */
  expectOwnNews(): void {
    this.#ownNewsToCome = this.watched
  }

  /**
   * The lock was released, and so many other clients were told. They go first: calls of this process wait a moment with their
   * attempt, or until one of the others has released it in turn. Of several others each gets its turn like that.
   */
  stepBack(others: number): void {
    this.#turnsToPass = others - 1
    this.#backUntil = this.clock.now() + STEP_BACK_MS
  }

  /**
   * The lock was released, and nobody was told. Where waiters ask again and again there may be others all the same, who would
   * never meet a free lock if this process went on at once: it pauses as a waiter does that has asked some times.
   */
  stepAside(): void {
    this.stepForward()
    const polls = this.queue.contender(undefined)?.call.polls
    if (polls) this.#backUntil = this.clock.now() + polls.pauseMs(STEP_ASIDE_ATTEMPTS, Math.random())
  }

  /** Until when calls of this process let others go first; in the past when they need not. */
  get backUntil(): number {
    return this.#backUntil
  }

  /** This process need not let others go first any more. */
  stepForward(): void {
    this.#backUntil = Number.NEGATIVE_INFINITY
    this.#turnsToPass = 0
    this.#ownNewsToCome = false
  }

  /** An attempt is about to be sent: it sees whatever was announced until now, and what comes from now on is news. */
  looksInto(): void {
    this.news = false
    this.#ownNewsToCome = false
  }

  /** Whether an acquire sent now runs with the watch in force. */
  get watched(): boolean {
    return this.#watchConfirmed || (this.#watch !== undefined && this.port.watchesInOrder)
  }

  /**
   * The watch that all waiters here share (rule W2). What happened before it is in force is news to it: the contender looks
   * once, even if this process believes that it holds the lock itself. A watch that fails is dropped; its failure is kept for
   * the contender.
   */
  beginWatch(): Watch {
    if (this.#watch) return this.#watch
    const { port } = this
    const watch = port.watch(this.name, (news) => {
      this.heard += 1
      this.announce(news)
    })
    this.#watch = watch
    // A port may come to know only later that it watches in order: this watch was not begun so.
    const inOrder = port.watchesInOrder
    if (inOrder) this.news = true
    watch.confirmed.then(
      () => {
        if (this.#watch !== watch) return
        this.#watchConfirmed = true
        if (!inOrder) this.news = true
      },
      (error: unknown) => {
        if (this.#watch !== watch) return
        this.endWatch()
        this.#watchFailure = error
        this.announce()
      },
    )
    return watch
  }

  /** The lock was free, and nobody had said so. */
  doubtNews(): void {
    this.#watch?.doubt?.()
  }

  /** What the last watch failed with, once. */
  takeWatchFailure(): unknown {
    const failure = this.#watchFailure
    this.#watchFailure = undefined
    return failure
  }

  endWatch(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#watchConfirmed = false
    this.#watchFailure = undefined
    this.#ownNewsToCome = false
  }
}
