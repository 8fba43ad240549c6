import type { Linked } from '../../base/collections/linked-set.js'
import { LockLostError, type LossReason } from '../../base/errors/errors.js'
import type { Owner, Scope } from '../../base/identity/owner.js'
import { Alarm, type TimerHandle } from '../../base/time/schedule.js'
import { Mutex } from '../../base/waiting/mutex.js'
import type { HoldTrace } from '../../observe/trace/hold.js'
import type { ThreadLease } from '../../port/lease-thread.js'
import type { Watch } from '../../port/lock-port.js'

/** Until when, on the lease clock, a lock stays taken after its release, and by whom, if not by nobody. */
export interface Kept {
  readonly until: number
  readonly as?: Owner
}

/** Keeps the state of the tenures, and draws the consequence of what the store says, or the clock. */
export interface TenureKeeper {
  /** The store has said that the lease lasts for so long from when it was asked. */
  extended(tenure: Tenure, askedAt: number, leaseMs: number): void
  /** A thread has extended it. */
  renewed(tenure: Tenure): void
  lose(tenure: Tenure): void
  /** Its deadline is there. */
  due(tenure: Tenure): void
}

/** A section that ended when the lock was handed on in memory. */
export interface Passed {
  readonly owner: Owner
  readonly at: number
}

/** How this process hears of others that ask for one lock. */
export interface Ear {
  readonly watch: Watch
  /** How often it was told. */
  asks: number
}

/**
 * That a process may keep a lock beyond its release: see lingering.ts. It is made for a request, and belongs to the tenure that this begins, and to
 * those that the lock is handed on to.
 */
export class Stay {
  /** Until when the store has its process told of those that ask for the lock. */
  until = -Infinity
  /** Whether others ask for the lock, or may. */
  asked = true
  /** How often others had asked for it before the request. */
  readonly asksBefore: number
  /** Whether nobody is inside. */
  vacant = false
  /** Since when, on the lease clock, the process has had the lock by a release that sent nothing. */
  since: number | undefined
  /** How often somebody has entered meanwhile. */
  entered = 0
  /** The alarm that stands on its end. */
  alarm: TimerHandle | undefined

  constructor(readonly ear: Ear) {
    this.asksBefore = ear.asks
  }
}

/**
 * This process's unbroken possession of one lock: from the grant to the last release, or to the loss. One owner at a time has
 * it; it may be handed from one to the next without the store (see hand-over.ts). Its holds are a stack in the order they were
 * taken; each keeps its own terms (rule L1), the tenure the time they share. What the watchdog, the slice of hand-overs and the lingering note
 * about it are fields of its own: a section makes one object for all of them, not four.
 */
export class Tenure extends Alarm implements Linked<Tenure> {
  /** Among the tenures of its kind that are held. */
  before: Tenure | undefined
  behind: Tenure | undefined
  /** Whether the watchdog looks after it. */
  watched = false
  holds: readonly HoldRecord[] = []
  #deadline = -Infinity
  /** Until when the store may keep it beyond the deadline, for nobody (see {@link mayLast}). */
  storedUntil = 0
  /** After a loss by time: when the store has let go of it for certain. */
  goneAt: number | undefined
  /** While it is renewed in a thread of its own: the lease as that knows it. */
  lease: ThreadLease | undefined
  state: 'pending' | 'held' | 'releasing' | 'over' = 'pending'
  /** Its fencing token, where the kind of lock has one: the same for all its holds. */
  fence: bigint | undefined
  /** How many permits it is for, where the kind has permits. */
  permits: number | undefined
  /** Set where the lock is to stay taken for a while, however soon it is released. */
  kept: Kept | undefined
  /** Its last hold, while that is being released and the outcome is not known. */
  releasing: HoldRecord | undefined
  /** Set when it is held. */
  keeper: TenureKeeper | undefined
  /** The renewal that comes before the regular ones, where the first lease is short. */
  firstRenewal: TimerHandle | undefined
  /** Whether a renewal has failed since the last that succeeded. */
  suspended = false
  /** Whether one hold more was asked for, and the answer is awaited. */
  growing = false
  /** What the same owner holds on the other side of the lock, where it has two: then both have one stack of holds. */
  beside: Tenure | undefined
  /** Where it was taken, when diagnostics are on. */
  takenAt: string | undefined
  /** Set where the process may keep the lock beyond its release. */
  stay: Stay | undefined
  /** Whether it may be tied to a transaction: then only the store knows when the next one may have the lock. */
  tied = false
  /** Since when the process has had the lock, on the lease clock, and how often it was handed on meanwhile. */
  since = -Infinity
  handOvers = 0
  #passed: Passed[] | undefined
  #turns: Mutex | undefined

  /** @param storedAs the owner the store knows the lock by: it stays the same when the lock is handed on in memory. */
  constructor(
    readonly name: string,
    public owner: Owner,
    readonly storedAs: Owner = owner,
    turns?: Mutex,
  ) {
    super()
    this.#turns = turns
  }

  /** Commands that change the hold count go one at a time, on both sides of the lock. */
  get turns(): Mutex {
    this.#turns ??= new Mutex()
    return this.#turns
  }

  ring(): void {
    this.keeper?.due(this)
  }

  /** The store does not know it any more. */
  lose(): void {
    this.keeper?.lose(this)
  }

  /**
   * Whether a section that runs in `caller` may re-enter: the hold on top must belong to its own scope or to an enclosing one
   * (rule O2). A hold whose scopes have all ended belongs to the owner as such.
   */
  admits(caller: Scope): boolean {
    const { beside } = this
    return this.#topAdmits(caller) && (beside?.state !== 'held' || beside.#topAdmits(caller))
  }

  /** Whether a call from `caller` is made in its section. */
  isSectionOf(caller: Scope): boolean {
    return this.state === 'held' && this.admits(caller)
  }

  #topAdmits(caller: Scope): boolean {
    const top = this.holds[this.holds.length - 1]
    return top !== undefined && caller.owner === this.owner && surrounds(top, caller)
  }

  /**
   * Whether a call from `caller` is made within one of its holds, which ends no sooner than the call. The call's own holds, in `holder`, are of
   * other locks that it is for.
   */
  isAround(caller: Scope, holder: Scope): boolean {
    if (this.state !== 'held' || caller.owner !== this.owner) return false
    const within = (hold: HoldRecord): boolean => hold.scope === holder || surrounds(hold, caller)
    return this.holds.some((hold) => !hold.released && !hold.stayed && within(hold))
  }

  /**
   * When possession ends unless renewed, on the lease clock; always earlier than the store lets go (rule L3). −Infinity when it
   * has ended in the store.
   */
  get deadline(): number {
    if (this.lease === undefined) return this.#deadline
    const { deadline } = this.lease
    return deadline === -Infinity ? deadline : Math.max(deadline, this.#deadline)
  }

  /** The tenure lasts at least until `deadline`; it is never made shorter (rule L2). */
  extend(deadline: number): void {
    if (deadline > this.#deadline) this.#deadline = deadline
  }

  /** A request may have prolonged it in the store until then, and this process does not count on that. */
  mayLast(until: number): void {
    if (until > this.storedUntil) this.storedUntil = until
  }

  /** No thread renews it any more; what it has written until now stays true. */
  leaveThread(): void {
    if (!this.lease) return
    this.#deadline = this.deadline
    this.lease.remove()
    this.lease = undefined
  }

  /** The last hold goes, and another owner's takes its place, without the store. */
  passTo(owner: Owner, hold: HoldRecord, now: number): void {
    this.#passed ??= []
    this.#passed.push({ owner: this.owner, at: now })
    this.owner = owner
    this.holds = [hold]
    this.takenAt = undefined
    this.handOvers += 1
  }

  /** The sections that ended in memory since the store last said that it knew of the tenure: whether they had the lock is not known. */
  get passed(): readonly Passed[] {
    return this.#passed ?? []
  }

  /** The store has said that it knew of the tenure at that time or later. */
  confirmedAt(time: number): void {
    this.#passed = this.#passed?.filter(({ at }) => at > time)
  }

  /** How much longer the lock has to stay taken after its release, in whole milliseconds; 0: not at all. */
  keptForMs(now: number): number {
    return this.kept === undefined ? 0 : Math.max(Math.ceil(this.kept.until - now), 0)
  }

  /** Whether this process has handed the lock from call to call as often, or for as long, as it may before it is the turn of others. */
  isSpent(most: { readonly maxHandOvers: number; readonly handOverSliceMs: number }, now: number): boolean {
    return this.handOvers >= most.maxHandOvers || now - this.since >= most.handOverSliceMs
  }

  /** Until when the watchdog has to renew; undefined when no hold asks for it. */
  get renewUntil(): number | undefined {
    let latest: number | undefined
    for (const { renewUntil } of this.holds) {
      if (renewUntil !== undefined && (latest === undefined || renewUntil > latest)) latest = renewUntil
    }
    return latest
  }
}

/**
 * What an acquire gives its caller: one hold of a tenure, to be given back once. Metrics, traces and events read their figures from it, so that a
 * section makes no object for each of them.
 */
export class HoldRecord implements Linked<HoldRecord> {
  /** Among those that are being released. */
  before: HoldRecord | undefined
  behind: HoldRecord | undefined
  /** Given back, or about to be. */
  released = false
  /** The command that does that, if it takes one: for whoever has to wait for its outcome. */
  work: Promise<void> | undefined
  /** Called when the holder must stop relying on the lock. */
  onEnd: ((reason: Error) => void) | undefined
  /** What it was called with, or would have been: that the lock was lost under this hold, or that the client was closed. */
  endedBy: Error | undefined
  /** Whether it came from another call of this process, and not from a release that the store announced. */
  handedOver = false
  /** When it was granted, on the lease clock; how long its call had waited then; and the owner's holds, this one included. */
  grantedAt = 0
  waitedMs = 0
  holdCount = 0
  /** What its release came to: how many holds the owner has left, and whether the lock went to a call of this process. */
  holdsLeft = 0
  passedOn = false
  /** How long the process may keep the lock after its release, and whether it has been released so. */
  lingerMs: number | 'auto' = 0
  stayed = false
  /** Whether its end was counted. */
  counted = false
  /** What its caller has of it, until its lease has been renewed. */
  callersHold: object | undefined
  /** What listeners of `holdfast:hold` are told of it, where there are any. */
  trace: HoldTrace | undefined

  constructor(
    readonly tenure: Tenure,
    readonly scope: Scope,
    public renewUntil: number | undefined,
    /** Whether its owner's section may take the lock once more. */
    readonly reentrant = true,
  ) {}

  get loss(): LockLostError | undefined {
    return this.endedBy instanceof LockLostError ? this.endedBy : undefined
  }

  lost(reason: LossReason, cause: unknown): void {
    this.unattended(new LockLostError(this.tenure.name, this.tenure.owner, reason, cause))
  }

  unattended(error: Error): void {
    this.endedBy = error
    this.onEnd?.(error)
  }
}

function surrounds(hold: HoldRecord, caller: Scope): boolean {
  const scope = hold.scope.live()
  return scope ? scope.encloses(caller) : caller.parent === undefined
}
