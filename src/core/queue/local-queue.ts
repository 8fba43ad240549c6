import type { Linked } from '../../base/collections/linked-set.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Polls } from '../../port/lock-port.js'
import type { Call } from '../acquire/call.js'
import type { Outage } from '../acquire/outage.js'
import type { Tenure } from '../tenure/tenure.js'
import { HeldTenures } from './held-tenures.js'
import type { Policy } from './policy.js'
import type { ProcessPlace } from './process-place.js'
import type { ReleaseWatch } from './release-watch.js'
import type { WaitQueue } from './wait-queue.js'
import type { Waiter } from './waiter.js'
import { type ClientParts, type Seen, WaitingRoom } from './waiting-room.js'

/** How long a process leaves a lock without a line to others: for them to hear of it and ask, which is two round trips. */
const STEP_ASIDE_MS = 2
/** Where nothing is announced, and nothing else is said, it pauses like a waiter that has asked so often: by default 8 to 16 ms, of 128. */
const STEP_ASIDE_ATTEMPTS = 5

/**
 * Where the calls of one process for one lock meet: which of them holds it, which wait, in which order, and the watch they share. What
 * differs between the sorts of kinds is the policy's.
 */
export class LocalQueue implements Linked<LocalQueue> {
  /** Among those that nobody stands at. */
  before: LocalQueue | undefined
  behind: LocalQueue | undefined
  readonly tenures: HeldTenures
  /** Calls at work here; the queue is idle when there are none and nothing is held. */
  callers = 0
  #backUntil: number | undefined
  // A lock that is held and wanted by nobody needs none.
  #room: WaitingRoom | undefined

  constructor(
    readonly name: string,
    private readonly client: ClientParts,
  ) {
    this.tenures = new HeldTenures(client.kind)
  }

  get #waitingRoom(): WaitingRoom {
    this.#room ??= new WaitingRoom(this.name, this.tenures, this.client)
    return this.#room
  }

  get waiters(): WaitQueue {
    return this.#waitingRoom.waiters
  }

  get policy(): Policy {
    return this.#waitingRoom.policy
  }

  get watch(): ReleaseWatch {
    return this.#waitingRoom.watch
  }

  get place(): ProcessPlace {
    return this.#waitingRoom.place
  }

  get outage(): Outage {
    return this.#waitingRoom.outage
  }

  /** Who has the lock as far as any call here knows: of this process, or as the store said last. */
  get seen(): Seen | undefined {
    const tenure = this.tenures.any
    if (!tenure || this.tenures.perOwner) return this.#room?.seen
    return { holder: tenure.owner, heldSince: undefined, until: tenure.deadline }
  }

  /** The store has answered one of the calls here; all that wait may know. */
  saw(seen: Seen | undefined): void {
    this.#waitingRoom.seen = seen
    this.waiters.told()
  }

  /** No call is here any more. */
  rest(): void {
    this.#room?.rest()
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
    const { kind, port } = this.client
    const inLine = port.line !== undefined && kind.placePer === 'process'
    return this.held && this.waiters.waiting > 0 && !this.place.taken && inLine
  }

  /** Whether the next call would find it as it would find a new one, but for what is held. */
  get asNew(): boolean {
    const { shared, placePer } = this.client.kind
    const remembers = this.#room?.remembers === true || this.#backUntil !== undefined
    return !remembers && !shared && placePer !== 'call'
  }

  /** Of a queue that is as new nothing stays but what is held. */
  shrink(): void {
    this.#room = undefined
  }

  began(tenure: Tenure): void {
    this.tenures.began(tenure)
    // The others have had their turn. (Permits that are taken here leave some that others may have.)
    if (!this.tenures.perOwner) this.#backUntil = undefined
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
    return polls ?? this.client.port.polls
  }

  /**
   * The lock was released, and so many other clients were told, which stand in no line. They would never meet a free lock if this process
   * went on at once. Where waiters poll, there may be others that nobody can tell.
   */
  stepAside(others: number): void {
    const next = this.waiters.contender(undefined)
    const polls = next ? this.pollsOf(next.call) : others > 0 ? this.client.port.polls : undefined
    const random = Math.random()
    if (polls)
      this.#backUntil =
        this.client.schedule.clock.now() +
        (polls.asideMs?.(random) ?? polls.pauseMs(STEP_ASIDE_ATTEMPTS, random))
    else if (others > 0)
      this.#backUntil = this.client.schedule.clock.now() + (this.client.port.asideMs ?? STEP_ASIDE_MS)
  }

  /** Until when calls of this process let others go first; in the past when they need not. */
  get backUntil(): number {
    return this.#backUntil ?? -Infinity
  }
}
