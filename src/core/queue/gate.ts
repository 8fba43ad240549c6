import type { Owner } from '../../identity/owner.js'
import type { AcquireReply, GrantedReply, LockPort, News, Watch } from '../../ports/lock-port.js'
import type { Clock } from '../../time/clock.js'
import { Outage } from '../acquire/outage.js'
import type { Tenure } from '../tenure/tenure.js'
import { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'

/** The process's place in the store's line. */
interface Place {
  readonly owner: Owner
  /** Until when there is nothing to ask; it is told of what comes before. */
  restsUntil: number
  /** Whether a waiter asks under its owner at the moment: two would both be granted the lock. */
  lent: boolean
}

/** How long a process leaves a lock without a line to others: for them to hear of it and ask, which is two round trips. */
const STEP_ASIDE_MS = 2
/** Where nothing is announced it pauses like a waiter that has asked so often: by default 8 to 16 ms, of 128. */
const STEP_ASIDE_ATTEMPTS = 5

/**
 * Where the calls of one process for one lock meet: who of them holds it, who waits, and the watch they share. This one is for
 * a lock that one owner has at a time: one of the process's waiters speaks to the store for all, and where the store keeps a line,
 * has the process's place there. Where several may hold, or each call has a place, shared-gate.ts and line-gate.ts say what differs.
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
  #place: Place | undefined
  /** A place by which nobody will enter. */
  #surplus: Owner | undefined

  constructor(
    readonly name: string,
    protected readonly port: LockPort,
    protected readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** The owner of this process behind one that the store names; any other owner is left as it is. */
  ownerBehind(stored: Owner | undefined): Owner | undefined {
    return this.tenures.find(({ storedAs }) => storedAs === stored)?.owner ?? stored
  }

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
    this.#backUntil = Number.NEGATIVE_INFINITY
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

  /** As whom the store knows the process in its line, for the next question of one waiter: until that is answered, or given back. */
  lendPlace(): Owner | undefined {
    const place = this.#place
    if (!place || place.lent) return undefined
    place.lent = true
    return place.owner
  }

  /** Whether calls wait here for a lock that the process has itself: then it stands in no line, and the store does not know of them. */
  get waitsForItself(): boolean {
    return (
      this.held && this.waiting > 0 && this.#place === undefined && this.port.line?.placePerCall === false
    )
  }

  /** Until when a waiter that speaks need not ask, since what it would hear is known; in the past when it has to. */
  restsUntil(_waiter: Waiter): number {
    return this.#place?.restsUntil ?? Number.NEGATIVE_INFINITY
  }

  /** The waiter of this process to whom the lock may be handed over, if any. */
  heir(): Waiter | undefined {
    return this.queue.heir()
  }

  /** What the store has answered to a waiter's attempt, which was made with the watch in force, or not. */
  answered(waiter: Waiter, reply: AcquireReply, covered: boolean): void {
    const owner = waiter.askedAs
    if (!this.port.line || owner === undefined) return
    const place = this.#place
    if (reply.outcome !== 'busy') {
      if (place?.owner === owner) this.#place = undefined
    } else if (covered && waiter.call.waitMs > 0) {
      // What was told while the question was under way may be newer than the answer.
      const restsUntil = this.news
        ? Number.NEGATIVE_INFINITY
        : this.clock.now() + (reply.againMs ?? reply.remainingMs)
      if (!place || place.owner === owner) {
        this.#place = { owner, restsUntil, lent: false }
      } else {
        // Two asked at the same time, each for itself: the later place is one too many.
        place.restsUntil = Math.min(place.restsUntil, restsUntil)
        this.deserts(owner)
      }
    } else if (place?.owner === owner) {
      place.lent = false
    }
  }

  /** A waiter was granted the lock: whatever was announced before, it was before this. */
  entered(_reply: GrantedReply): void {
    this.news = false
  }

  /** A waiter's call has ended. */
  left(_waiter: Waiter): void {
    this.next()
  }

  /** Nobody will enter by that place. */
  deserts(owner: Owner): void {
    this.forgetPlace(owner)
    this.#surplus = owner
  }

  /** A place that nobody of this process waits on, if there is one: to be left. */
  takeDeserted(): Owner | undefined {
    const surplus = this.#surplus
    this.#surplus = undefined
    if (surplus !== undefined) return surplus
    if (!this.#place || this.queue.waits) return undefined
    const { owner } = this.#place
    this.#place = undefined
    return owner
  }

  /** What was asked as that owner is unknown, or given back: nobody else is to ask as it. Tells whether it was the process's place. */
  forgetPlace(owner: Owner): boolean {
    if (this.#place?.owner !== owner) return false
    this.#place = undefined
    return true
  }

  /** The store has announced something: one contender looks into it, whoever else waits sleeps on (no thundering herd). */
  announce(news?: News): void {
    const place = this.#place
    if (place && news?.lookInMs !== undefined)
      place.restsUntil = Math.min(place.restsUntil, this.clock.now() + news.lookInMs)
    else if (place) place.restsUntil = Number.NEGATIVE_INFINITY
    this.news = true
    this.queue.contender(this.tenure)?.wakeUp.release()
  }

  /** Tenures in this process has changed: wakes the one waiter whose turn it may be. */
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

  /**
   * The lock was released, and so many other clients were told, which stand in no line. They would never meet a free lock if this process
   * went on at once. Where waiters poll, there may be others that nobody can tell.
   */
  stepAside(others: number): void {
    const polls = this.queue.contender(undefined)?.call.polls
    if (polls) this.#backUntil = this.clock.now() + polls.pauseMs(STEP_ASIDE_ATTEMPTS, Math.random())
    else if (others > 0) this.#backUntil = this.clock.now() + STEP_ASIDE_MS
  }

  /** Until when calls of this process let others go first; in the past when they need not. */
  get backUntil(): number {
    return this.#backUntil
  }

  /** An attempt is about to be sent: it sees whatever was announced until now, and what comes from now on is news. */
  looksInto(): void {
    this.news = false
  }

  /** Whether an acquire sent now runs with the watch in force. */
  get watched(): boolean {
    const watch = this.#watch
    return watch !== undefined && (this.#watchConfirmed || watch.inForce === true || this.port.watchesInOrder)
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
  }
}
