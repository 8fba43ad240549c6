import { ClosedError } from '../../base/errors/errors.js'
import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import { InnerSignal, onAbort, throwIfAborted } from '../../base/waiting/signals.js'
import type { Call, Composition, Refusal } from '../../core/acquire/call.js'
import { LEAST_ANSWER_MS } from '../../core/acquire/outage.js'
import type { Locker } from '../../core/locker.js'
import { TIME_IS_UP, Waiter } from '../../core/queue/waiter.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import { noAnswer } from '../../port/failure.js'
import type { Member } from '../acquiring/grant.js'
import { acquireBatch, NOTHING_IN_THE_WAY } from './batch.js'
import { MemberLeases } from './member-leases.js'
import { waitLeft } from './wait-left.js'

/** So often in a row it is no accident. */
const LEAST_IN_VAIN = 5

export type CallerOfOne = Pick<Call, 'caller' | 'holder' | 'unrelated'>

/** One of several locks that the call takes as one. */
export interface Sought {
  readonly name: string
  readonly locker: Locker
  /** The store's place for it, see `BatchPort`. */
  readonly place: number
  /** As in a call for it alone. */
  readonly polls?: Call['polls']
  readonly reentrant?: Call['reentrant']
  /** Who calls, where the lock is of another client than the call: each client has owners of its own. */
  readonly by?: CallerOfOne | undefined
}

/** One of them that was taken. */
type Held = Sought & Member

/** A call for several locks: the terms are the same for each. */
export type Terms = Omit<Call, 'name' | 'permits' | 'sends' | 'polls' | 'reentrant' | 'failingSince'>

/** An end without the locks, and which of them stood in the way. */
export interface AcquireAllRefusal extends Refusal {
  readonly name: string
}

/**
 * Takes several locks, all or none, in the order they are given in. Every caller gives them in one order, so none that holds a
 * later one waits for an earlier one: callers cannot wait for each other in a ring. Neighbours of one place that are idle in this
 * process are asked for with one command; where that is refused, each is waited for in its turn. Those taken already are kept
 * from ending meanwhile, whatever their lease: that begins when all are held. One that is lost meanwhile (forced open) is not
 * taken again behind later ones; all are given back, and it begins anew. Its fields are the state of that one loop: what is held, what is in
 * the way, how often it was in vain, and how the call ends.
 */
export class AcquireAll implements Composition {
  readonly waitMs: number
  work: Promise<readonly HoldRecord[] | AcquireAllRefusal> | undefined
  readonly #startedAt: number
  readonly #lockers: ReadonlySet<Locker>
  /** That of its caller, and of each of the clients: one of them may end while the call waits for a lock of another. */
  readonly #end: InnerSignal
  readonly #held: Held[] = []
  #leases: MemberLeases | undefined
  /** With how many commands they were taken. */
  #steps = 0
  /** How often one was gone before all were held, and since when. */
  #inVain = 0
  #inVainSince = Infinity
  /** Since when the store does not answer. */
  #failingSince: number | undefined

  constructor(
    private readonly members: readonly Sought[],
    private readonly terms: Terms,
    private readonly now: () => number,
  ) {
    this.#startedAt = now()
    this.waitMs = terms.waitMs
    this.#end = new InnerSignal(terms.signal)
    this.#lockers = new Set(members.map(({ locker }) => locker))
  }

  /** The grants, in the order of the members. */
  run(): Promise<readonly HoldRecord[] | AcquireAllRefusal> {
    for (const locker of this.#lockers) locker.lifetime.compose(this, this.#callsFor(locker))
    const work = this.#run().finally(() => {
      this.#end.close()
      for (const locker of this.#lockers) locker.lifetime.decompose(this)
    })
    this.work = work
    return work
  }

  cancel(reason: unknown): void {
    this.#end.abort(reason)
  }

  async #run(): Promise<readonly HoldRecord[] | AcquireAllRefusal> {
    try {
      for (;;) {
        const refusal = (await this.#takeAll()) ?? (await this.#beginLeases())
        if (refusal) {
          this.#giveBack()
          return refusal
        }
        const gone = this.#complete()
        if (!gone) return this.#held.map(({ grant }) => grant)
        this.#giveBack()
        if (this.#isLastTry) return this.#refusedBy(gone)
        this.#throwIfInVain(gone)
      }
    } catch (error) {
      this.#giveBack()
      throw error
    } finally {
      this.#leases?.stop()
    }
  }

  async #takeAll(): Promise<AcquireAllRefusal | undefined> {
    for (const group of groupsOf(this.members)) {
      const refused = await this.#takeTogether(group)
      const refusal = refused && this.#isLastTry ? await this.#takeKept(group, refused) : undefined
      if (refusal) return refusal
      for (const member of group) {
        // Unless they were all taken at once.
        if (!this.#held.some(({ name }) => name === member.name)) {
          const refusal = await this.#take(member)
          if (refusal) return refusal
        }
      }
    }
    return undefined
  }

  /** One attempt for all of the group, where that can be made; a refusal leaves none of them taken. */
  async #takeTogether(group: readonly Sought[]): Promise<AcquireAllRefusal | undefined> {
    const [first] = group
    const port = first?.locker.port.together
    const waitMs = this.#waitLeft()
    if (!first || !port || group.length < 2 || waitMs === undefined) return undefined
    if (!group.every(({ locker, name }) => locker.isIdle(name))) return undefined
    const calls = group.map((member) => this.#callFor(member, waitMs))
    const { grants, refusal } = await acquireBatch(first.locker, port, 'all', calls)
    if (grants.size === group.length) {
      this.#steps += 1
      for (const [index, member] of group.entries()) this.#hold(member, grants.get(index))
      return undefined
    }
    // A part of a command that was repeated, whose other part has ended: not what was asked for.
    for (const grant of grants.values()) void first.locker.discard(grant)
    this.#failingSince = refusal.failingSince
    return this.#refusedBy(group.find(({ name }) => name === refusal.name) ?? first, refusal)
  }

  /**
   * What stood in the way may be kept by a process with nobody inside, which a request for several does not tell. One for it alone does; if it
   * is granted, the others follow in their turn.
   */
  async #takeKept(
    group: readonly Sought[],
    refused: AcquireAllRefusal,
  ): Promise<AcquireAllRefusal | undefined> {
    const member = group.find(({ name }) => name === refused.name)
    const mayBeKept = member?.locker.port.line?.hearAsks && refused.holder !== undefined
    if (mayBeKept && this.terms.waitMs === 0) return await this.#take(member)
    if (refused.cause === undefined) group[0]?.locker.metrics.count('timedOut')
    return refused
  }

  async #take(member: Sought): Promise<AcquireAllRefusal | undefined> {
    const waitMs = this.#waitLeft()
    if (waitMs === undefined) return this.#refusedBy(member)
    const outcome = await member.locker.acquire(this.#callFor(member, waitMs))
    if (!(outcome instanceof HoldRecord)) return this.#refusedBy(member, outcome)
    this.#steps += 1
    this.#hold(member, outcome)
    return undefined
  }

  #hold(member: Sought, grant: HoldRecord | undefined): void {
    if (!grant) return
    this.#failingSince = undefined
    const held: Held = { ...member, grant }
    this.#held.push(held)
    const { leaseMs } = this.terms
    if (leaseMs === undefined || this.members.length === 1) return
    this.#leases ??= new MemberLeases(member.locker.schedule, leaseMs, this.#held)
    this.#leases.began(held)
  }

  /**
   * All were taken: the leases that were asked for begin. However late the last one came, the store has the time of a first answer to say
   * so; when that is over, the call's wait is over too, and none of them is of use to it.
   */
  async #beginLeases(): Promise<AcquireAllRefusal | undefined> {
    const leases = this.#leases
    this.#leases = undefined
    const [first] = this.members
    try {
      // What came with one command has its lease from there.
      if (!leases || !first || this.#steps < 2) return undefined
      const { locker, name } = first
      const { waitMs } = this.terms
      const { signal } = this.#end
      throwIfAborted(signal)
      const waiter = new Waiter({ ...this.terms, name }, locker.schedule)
      const stopListening = onAbort(signal, (reason) => waiter.cancel(reason))
      const leastMs = waitMs === 0 ? locker.settings.commandTimeoutMs : LEAST_ANSWER_MS
      const answerBy = Math.max(this.#startedAt + waitMs, this.now() + leastMs)
      const renewing = locker.query(() => leases.renew())
      const renewed = await waiter.upTo(answerBy, renewing).finally(stopListening)
      if (renewed !== TIME_IS_UP) return undefined
      locker.metrics.count('failed')
      return { ...this.#refusedBy(first), cause: noAnswer(name, locker.kind) }
    } finally {
      leases?.stop()
    }
  }

  /** The time of all begins. Returns one that was lost meanwhile, if any. */
  #complete(): Sought | undefined {
    const gone = this.#held.find(({ locker, grant }) => !locker.stillHeld(grant))
    for (const { locker, name } of this.members) if (locker.closed) throw new ClosedError(name)
    if (gone) return gone
    const { maxHoldMs } = this.terms
    for (const { locker, grant } of this.#held) {
      if (maxHoldMs === Infinity || grant.renewUntil === undefined) continue
      grant.renewUntil = locker.schedule.clock.now() + maxHoldMs
      locker.tenures.watchdog.resume(grant.tenure)
    }
    return undefined
  }

  /** Over too long a way the first are gone each time when the last is held. */
  #throwIfInVain({ name, locker }: Sought): void {
    const { leaseMs } = this.terms
    const now = this.now()
    this.#inVain += 1
    this.#inVainSince = Math.min(this.#inVainSince, now)
    const lastedMs = now - this.#inVainSince
    if (leaseMs === undefined || this.#inVain < LEAST_IN_VAIN || lastedMs < locker.settings.storeTimeoutMs)
      return
    throw new ShortLeaseError(name, leaseMs)
  }

  /** Not waited for: a store that does not answer must not hold up a call whose time is over. */
  #giveBack(): void {
    this.#leases?.stop()
    this.#leases = undefined
    this.#steps = 0
    for (const { locker, grant } of this.#held.splice(0).reverse()) void locker.discard(grant)
  }

  #callFor({ name, polls, reentrant, by }: Sought, waitMs: number): Call {
    const { terms } = this
    return {
      ...terms,
      ...by,
      // It may have to wait for the release of what the same call has given back.
      unrelated: false,
      name,
      polls,
      reentrant,
      waitMs,
      signal: this.#end.signal,
      failingSince: this.#failingSince,
      // Until all are held the watchdog renews without end, see #complete.
      maxHoldMs: Infinity,
      composition: this,
    }
  }

  #callsFor(locker: Locker): readonly Call[] {
    const members = this.members.filter((member) => member.locker === locker)
    return members.map((member) => this.#callFor(member, this.waitMs))
  }

  get #isLastTry(): boolean {
    return this.terms.waitMs === 0 || this.#waitLeft() === undefined
  }

  #waitLeft(): number | undefined {
    return waitLeft(this.terms.waitMs, this.now() - this.#startedAt)
  }

  #refusedBy({ name }: Sought, refusal?: Refusal): AcquireAllRefusal {
    return { ...NOTHING_IN_THE_WAY, ...refusal, name, waitedMs: this.now() - this.#startedAt }
  }
}

/** Neighbours that are of one kind and in one place. */
function groupsOf(members: readonly Sought[]): readonly (readonly Sought[])[] {
  const groups: Sought[][] = []
  for (const member of members) {
    const last = groups.at(-1)
    const [first] = last ?? []
    if (last && first?.locker === member.locker && first.place === member.place) last.push(member)
    else groups.push([member])
  }
  return groups
}
