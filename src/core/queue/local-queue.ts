import type { Linked } from '../../base/collections/linked-set.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Clock } from '../../base/time/clock.js'
import type { Schedule } from '../../base/time/schedule.js'
import type { LockPort, Polls } from '../../port/lock-port.js'
import type { Call } from '../acquire/call.js'
import { Outage } from '../acquire/outage.js'
import type { Orphans } from '../tenure/orphans.js'
import type { Tenure } from '../tenure/tenure.js'
import { HeldTenures } from './held-tenures.js'
import type { Policy } from './policy.js'
import { ReleaseWatch } from './release-watch.js'
import { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'

/** How long a process leaves a lock without a line to others: for them to hear of it and ask, which is two round trips. */
const STEP_ASIDE_MS = 2
/** Where nothing is announced, and nothing else is said, it pauses like a waiter that has asked so often: by default 8 to 16 ms, of 128. */
const STEP_ASIDE_ATTEMPTS = 5

/** What the core has to know of a kind of lock. */
export interface KindTraits {
  /** For people, and in sequencers. */
  readonly name: string
  /** What asking for it is called in errors; `acquire` where absent. */
  readonly asks?: 'await' | undefined
  /** Whether several owners may hold the lock at a time. Each then has its own tenure, and the process hands none over in memory. */
  readonly shared?: boolean
  /** Whether each tenure has a fencing token, which makes sequencers possible: then the lock changes hands in the store only. */
  readonly fenced?: boolean
  /** What has a place in the line that the store keeps, if it keeps one: each process, for all its calls, or each call. */
  readonly placePer?: 'process' | 'call'
  /** What decides between the calls of one process. */
  readonly policy: new (
    queue: LocalQueue,
  ) => Policy
}

/** The one place that the process has in the store's line, if the store keeps one and the process stands in it. */
interface ProcessPlace {
  readonly owner: Owner
  /** The process asks nothing before that time: the store tells it of what happens earlier. */
  restsUntil: number
}

/** Who has a lock, and until when it is not free. */
export interface Seen {
  readonly holder: Owner | undefined
  /** Since when that owner has it, by the store's clock. */
  readonly heldSince: number | undefined
  readonly until: number
}

/**
 * Where the calls of one process for one lock meet: which of them holds it, which wait, in which order, and what they share. What differs
 * between the sorts of kinds is the policy's. A lock that is held and wanted by nobody costs no more than its tenure: each part is made
 * when it is first asked for.
 */
export class LocalQueue implements Linked<LocalQueue> {
  /** Among those that nobody stands at. */
  before: LocalQueue | undefined
  behind: LocalQueue | undefined
  readonly tenures: HeldTenures
  /** Calls at work here; the queue is idle when there are none and nothing is held. */
  callers = 0
  /** The process's place in line, if it has one. */
  place: ProcessPlace | undefined
  /** The store's failures, as the calls here have met them one after the other: the time of each counts for all. */
  outage: Outage | undefined
  /** Until when calls of this process let others go first; in the past when they need not. */
  backUntil = -Infinity
  #waiters: WaitQueue | undefined
  #policy: Policy | undefined
  #watch: ReleaseWatch | undefined
  /** Who had the lock when the store last refused it to a call here. */
  #seen: Seen | undefined

  constructor(
    readonly name: string,
    private readonly client: {
      readonly kind: KindTraits
      readonly port: LockPort
      readonly schedule: Schedule
      readonly orphans: Orphans
    },
  ) {
    this.tenures = new HeldTenures(client.kind)
  }

  get clock(): Pick<Clock, 'now'> {
    return this.client.schedule.clock
  }

  get waiters(): WaitQueue {
    this.#waiters ??= new WaitQueue()
    return this.#waiters
  }

  get policy(): Policy {
    this.#policy ??= new this.client.kind.policy(this)
    return this.#policy
  }

  get watch(): ReleaseWatch {
    this.#watch ??= new ReleaseWatch(this.name, this.client.port, this)
    return this.#watch
  }

  failed(cause: unknown, sentAt: number, now: number): void {
    this.outage ??= new Outage()
    this.outage.failed(cause, sentAt, now)
  }

  /** Who has the lock as far as any call here knows: of this process, or as the store said last. */
  get seen(): Seen | undefined {
    const tenure = this.tenures.any
    if (!tenure || this.tenures.perOwner) return this.#seen
    return { holder: tenure.owner, heldSince: undefined, until: tenure.deadline }
  }

  /** The store has answered one of the calls here; all that wait may know. */
  saw(seen: Seen | undefined): void {
    this.#seen = seen
    this.waiters.told()
  }

  /** No call is here any more. */
  rest(): void {
    this.#seen = undefined
    if (this.#watch) this.#watch.end()
    else this.#policy?.onWatchEnded?.()
    if (!this.#watch?.unread) this.#watch = undefined
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
    const inLine = this.keepsLine && this.client.kind.placePer === 'process'
    return this.held && this.waiters.waiting > 0 && !this.place && inLine
  }

  /** Whether the store keeps a line at the moment. */
  get keepsLine(): boolean {
    return this.client.port.line !== undefined
  }

  /** As whom one waiter may ask by that place. Not while another does: both would be granted the lock. */
  get freePlace(): Owner | undefined {
    const { place } = this
    return place && !this.waiters.askingAs(place.owner) ? place.owner : undefined
  }

  /** What was asked as that owner is unknown, or given back: nobody else is to ask as it. Tells whether it was the process's place. */
  forgetPlace(owner: Owner): boolean {
    if (this.place?.owner !== owner) return false
    this.place = undefined
    return true
  }

  /** Nobody will enter by that place. */
  leavePlace(owner: Owner): void {
    this.forgetPlace(owner)
    this.client.orphans.leavePlace(this.name, owner)
  }

  /** Leaves the process's place if nobody waits on it. */
  leaveUnusedPlace(): void {
    if (this.place && !this.waiters.waits) this.leavePlace(this.place.owner)
  }

  /** Whether the next call would find it as it would find a new one, but for what is held. */
  get asNew(): boolean {
    const { shared, placePer } = this.client.kind
    const remembered = this.#watch ?? this.place ?? this.outage
    return remembered === undefined && this.backUntil === -Infinity && !shared && placePer !== 'call'
  }

  began(tenure: Tenure): void {
    this.tenures.began(tenure)
    // The others have had their turn. (Permits that are taken here leave some that others may have.)
    if (!this.tenures.perOwner) this.backUntil = -Infinity
  }

  /** Wakes the waiter of that owner that may go on: one within its tenure, or else the first on each side of the lock. */
  wakeOwn(owner: Owner): void {
    const own = this.tenures.metBy(owner)
    if (own?.state === 'held') {
      this.waiters.admittedBy(own)[0]?.wake()
      return
    }
    this.waiters.firstOf(owner)?.wake()
    this.waiters.firstOf(owner, true)?.wake()
  }

  /** This call cannot use the lock now, for a reason of its own: the calls behind it go first. */
  stepBehind(waiter: Waiter): void {
    this.waiters.leave(waiter)
    this.waiters.join(waiter)
    this.policy.wakeNext(waiter.caller.owner)
    // It pauses even if no other call waits.
    waiter.drain()
  }

  /** How that call asks again; undefined where it is told. */
  pollsOf({ polls }: Pick<Call, 'polls'>): Polls | undefined {
    return polls ?? this.client.port.polls
  }

  /**
   * The lock was released, and so many other clients were told, which stand in no line: they get their turn (rule W8). They would never meet a free lock if this process
   * went on at once. Where waiters poll, there may be others that nobody can tell.
   */
  stepAside(others: number): void {
    const next = this.waiters.contender(undefined)
    const polls = next ? this.pollsOf(next.call) : others > 0 ? this.client.port.polls : undefined
    const random = Math.random()
    if (polls)
      this.backUntil =
        this.client.schedule.clock.now() +
        (polls.asideMs?.(random) ?? polls.pauseMs(STEP_ASIDE_ATTEMPTS, random))
    else if (others > 0)
      this.backUntil = this.client.schedule.clock.now() + (this.client.port.asideMs ?? STEP_ASIDE_MS)
  }
}
