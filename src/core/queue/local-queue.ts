import type { Linked } from '../../collections/linked-set.js'
import type { Owner } from '../../identity/owner.js'
import type { LockPort, Polls } from '../../ports/lock-port.js'
import type { Clock } from '../../time/clock.js'
import type { Call } from '../acquire/call.js'
import { Outage } from '../acquire/outage.js'
import type { KindTraits } from '../kind.js'
import type { Tenure } from '../tenure/tenure.js'
import { HeldTenures } from './held-tenures.js'
import type { Policy, QueueParts } from './policy.js'
import { ProcessPlace } from './process-place.js'
import { ReleaseWatch } from './release-watch.js'
import { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'

/** How long a process leaves a lock without a line to others: for them to hear of it and ask, which is two round trips. */
const STEP_ASIDE_MS = 2
/** Where nothing is announced, and nothing else is said, it pauses like a waiter that has asked so often: by default 8 to 16 ms, of 128. */
const STEP_ASIDE_ATTEMPTS = 5

/**
 * Where the calls of one process for one lock meet: which of them holds it, which wait, in which order, and the watch they share. What
 * differs between the sorts of kinds is the policy's.
 */
export class LocalQueue implements QueueParts, Linked<LocalQueue> {
  /** Among those that nobody stands at. */
  before: LocalQueue | undefined
  behind: LocalQueue | undefined
  readonly waiters = new WaitQueue()
  readonly tenures: HeldTenures
  readonly policy: Policy
  /** Calls that have had to wait and still do. */
  waiting = 0
  /** Calls at work here; the queue is idle when there are none and nothing is held. */
  callers = 0
  #backUntil = -Infinity
  // A lock that is held and wanted by nobody needs none of them.
  #outage: Outage | undefined
  #watch: ReleaseWatch | undefined
  #place: ProcessPlace | undefined

  constructor(
    readonly name: string,
    private readonly kind: KindTraits,
    private readonly port: LockPort,
    readonly clock: Pick<Clock, 'now'>,
  ) {
    const { shared, placePer } = kind
    this.tenures = new HeldTenures(shared || placePer === 'call', shared)
    this.policy = kind.policy(this)
  }

  /** The store's failures, as the calls here have met them one after the other: the time of each counts for all. */
  get outage(): Outage {
    this.#outage ??= new Outage()
    return this.#outage
  }

  get watch(): ReleaseWatch {
    this.#watch ??= new ReleaseWatch(this.name, this.port, this)
    return this.#watch
  }

  get place(): ProcessPlace {
    this.#place ??= new ProcessPlace(this.waiters, this.port, this.clock)
    return this.#place
  }

  /** No call is here any more. */
  rest(): void {
    if (this.#watch) this.#watch.end()
    else this.policy.onWatchEnded()
    if (!this.#watch?.unreadSignal) this.#watch = undefined
    if (this.#place?.untouched) this.#place = undefined
    if (!this.#outage?.on) this.#outage = undefined
  }

  /** Whether this process has a tenure. */
  get held(): boolean {
    return !this.tenures.empty
  }

  /** The owner of this process behind one that the store names; any other owner is left as it is. */
  ownerBehind(stored: Owner | undefined): Owner | undefined {
    return this.tenures.all.find(({ storedAs }) => storedAs === stored)?.owner ?? stored
  }

  /** Whether calls wait here for a lock that the process has itself: then it stands in no line, and the store does not know of them. */
  get waitsForItself(): boolean {
    const inLine = this.port.line !== undefined && this.kind.placePer === 'process'
    return this.held && this.waiting > 0 && !this.place.taken && inLine
  }

  /** Whether the next call would find it as it would find a new one. */
  get asNew(): boolean {
    const { shared, placePer } = this.kind
    const remembers = this.#outage || this.#watch || this.#place || this.#backUntil !== -Infinity
    return !remembers && !shared && placePer !== 'call'
  }

  began(tenure: Tenure): void {
    this.tenures.began(tenure)
    // The others have had their turn. (Permits that are taken here leave some that others may have.)
    if (!this.tenures.perOwner) this.#backUntil = -Infinity
  }

  /** This call cannot use the lock now, for a reason of its own: the calls behind it go first. */
  stepBehind(waiter: Waiter): void {
    this.waiters.leave(waiter)
    this.waiters.join(waiter)
    this.policy.wakeNext(waiter.caller.owner)
    // It pauses even if no other call waits.
    waiter.wakeUp.drain()
  }

  /** How that call asks again; undefined where it is told. */
  pollsOf({ polls }: Pick<Call, 'polls'>): Polls | undefined {
    return polls ?? this.port.polls
  }

  /**
   * The lock was released, and so many other clients were told, which stand in no line. They would never meet a free lock if this process
   * went on at once. Where waiters poll, there may be others that nobody can tell.
   */
  stepAside(others: number): void {
    const next = this.waiters.contender(undefined)
    const polls = next ? this.pollsOf(next.call) : others > 0 ? this.port.polls : undefined
    const random = Math.random()
    if (polls)
      this.#backUntil =
        this.clock.now() + (polls.asideMs?.(random) ?? polls.pauseMs(STEP_ASIDE_ATTEMPTS, random))
    else if (others > 0) this.#backUntil = this.clock.now() + STEP_ASIDE_MS
  }

  /** Until when calls of this process let others go first; in the past when they need not. */
  get backUntil(): number {
    return this.#backUntil
  }
}
