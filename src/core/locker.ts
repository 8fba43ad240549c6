import { ClosedError, InvalidArgumentError, LockLostError } from '../base/errors/errors.js'
import { labelOf } from '../base/identity/label.js'
import type { Owner } from '../base/identity/owner.js'
import { withDeadline } from '../base/time/with-deadline.js'
import { reasonOf } from '../base/waiting/signals.js'
import { releaseChannel, traceRelease } from '../observe/trace/release.js'
import { noAnswer } from '../port/failure.js'
import type { LockSeen, LockState } from '../port/lock-port.js'
import { Acquisition } from './acquire/acquisition.js'
import type { Call, Refusal } from './acquire/call.js'
import { granted } from './acquire/granted.js'
import { Patience } from './acquire/learned.js'
import { OWN_FAILURE_MS } from './acquire/outage.js'
import { Environment } from './environment.js'
import { Lifetime } from './lifetime.js'
import { calledFrom } from './queue/waiter.js'
import type { Services } from './services.js'
import { enterInMemory } from './tenure/hand-over.js'
import { release, releaseInMemory } from './tenure/release.js'
import type { HoldRecord, Tenure } from './tenure/tenure.js'
import { extend } from './tenure/within-lease.js'

/**
 * One kind of lock in one client, on whatever store the port leads to: its calls, from when they begin until they have ended and
 * nothing is left to clean up behind them.
 */
export class Locker extends Environment {
  readonly lifetime: Lifetime

  constructor(services: Services) {
    super(services)
    this.lifetime = new Lifetime(this)
  }

  /** What is alive in here; all zero when nothing is held, awaited or being cleaned up. */
  get census(): Readonly<Record<'gates' | 'calls' | 'tenures' | 'watched' | 'orphans', number>> {
    const { queues, tenures, orphans } = this
    return {
      gates: queues.busy,
      calls: this.lifetime.calls,
      tenures: tenures.size,
      watched: tenures.watchdog.size,
      orphans: orphans.size,
    }
  }

  /** One call for the lock: granted, or refused because its time was up. Rejects when it was cancelled or the store failed. */
  acquire(call: Call): Promise<HoldRecord | Refusal> {
    const refused = !this.lifetime.admits(call)
    const { signal } = call
    if (refused || signal?.aborted) {
      this.metrics.count('cancelled')
      return Promise.reject(refused || !signal ? new ClosedError(call.name) : reasonOf(signal))
    }
    const queue = this.queues.at(call.name)
    const now = this.schedule.clock.now()
    this.lingering.came(call, now)
    const kept = enterInMemory(this, queue, call, now)
    if (kept) {
      const calledAt = this.settings.diagnostics ? calledFrom() : undefined
      return Promise.resolve(granted(this, { call, startedAt: now, calledAt }, kept, now))
    }
    const acquisition = new Acquisition(this, queue, call, () => {
      this.lifetime.acquired(acquisition)
      queue.callers -= 1
      this.dropIfIdle(queue)
      this.lifetime.lookWhetherDrained()
    })
    queue.callers += 1
    this.lifetime.acquiring(acquisition)
    const work = acquisition.run()
    acquisition.work = work
    return work
  }

  /** Gives a hold back; once, whatever comes of it. Undefined when that is done: handed over in memory, or done before. */
  release(grant: HoldRecord): Promise<void> | undefined {
    if (grant.released) return undefined
    grant.released = true
    // Before anything is awaited: a release that was asked for before the close still goes out.
    if (this.closed) return Promise.reject(grant.endedBy ?? new ClosedError(grant.tenure.name))
    if (!releaseChannel.hasSubscribers) return this.#release(grant)
    const { name, owner } = grant.tenure
    const heldMs = this.schedule.clock.now() - grant.grantedAt
    return traceRelease(
      { name, kind: this.kind.name, owner, hold: grant.trace, heldMs },
      () => this.#release(grant) ?? Promise.resolve(),
      () => ({ holdCount: grant.holdsLeft, handedOver: grant.passedOn }),
    )
  }

  #release(grant: HoldRecord): Promise<void> | undefined {
    if (releaseInMemory(this, grant)) return undefined
    this.lifetime.releasing(grant)
    const work = release(this, grant, () => this.lifetime.released(grant))
    grant.work = this.lifetime.upToEnd(work, grant.tenure.name)
    return grant.work
  }

  async discard(grant: HoldRecord): Promise<void> {
    grant.released = true
    try {
      await this.#release(grant)
    } catch (error) {
      // A loss is told by the event `lost`; there is no holder to be told.
      if (!(error instanceof LockLostError)) this.events.emit('error', error)
    }
  }

  /** Compares the clock with the deadline of a hold's tenure, and draws the consequence. Tells whether it is still held. */
  stillHeld({ tenure }: HoldRecord): boolean {
    return this.tenures.stillHeld(tenure)
  }

  /** Has the lease of a hold that stands last for at least so long from now on. */
  async extend({ tenure }: HoldRecord, leaseMs: number): Promise<void> {
    await this.query(() => extend(this, tenure, leaseMs))
  }

  /** Ties the lock of a hold that stands to a transaction. */
  async tie({ tenure }: HoldRecord, tx: unknown): Promise<void> {
    const { tie } = this.port
    if (!tie) {
      const accepted =
        'none: only locks that are kept in PostgreSQL, MySQL or MariaDB can be tied to a transaction'
      throw new InvalidArgumentError('tx', tx, accepted, { lockName: tenure.name })
    }
    tenure.tied = true
    const held = await this.query(() => tie(tenure.name, tenure.storedAs, tx))
    if (!held) tenure.lose()
  }

  /** Whether nobody of this process has the lock, waits for it or lets others go first. */
  isIdle(name: string): boolean {
    const queue = this.queues.get(name)
    return !queue || (queue.callers === 0 && !queue.held && queue.backUntil <= this.schedule.clock.now())
  }

  /**
   * The lock, held where somebody is inside: another process that may keep it with nobody inside is asked to give it up (rule W9).
   *
   * @param about the one whose holds are wanted: nobody is asked for the sake of others
   */
  async inspect(name: string, about?: Owner): Promise<LockState> {
    const patience = new Patience()
    for (let asksIn = about ? 1 : 0; ; asksIn -= 1) {
      // The answer may arrive after that of a release that the store carried out later.
      const keptBefore = this.#kept(name)
      const state = await this.#question(name, () => this.port.inspect(name, asksIn === 0))
      patience.refused(state, this.schedule.clock.now())
      const { askAgainAt } = patience
      if (!askAgainAt || (about && !state.owners.some(({ owner }) => owner === about)))
        return this.translated(state, keptBefore)
      await this.query(() => this.pauses.until(askAgainAt))
    }
  }

  /**
   * As its users read it, with the owners of this client's own tenure called by their names.
   *
   * @param keptBefore the tenures with nobody inside that this process had when it asked
   */
  translated({ lingers: _, ...state }: LockSeen, keptBefore: readonly Tenure[] = []): LockState {
    const asStored = ({ storedAs }: Tenure): boolean => storedAs === state.owners[0]?.owner
    const kept = this.#kept(state.name).filter(asStored)
    if (kept.length > 0 || keptBefore.some(asStored)) {
      // Its release may be on its way, or answered already.
      const lingering = kept.some(({ stay }) => stay?.vacant)
      return { name: state.name, owners: [], remainingMs: 0, ...(lingering && { lingering }) }
    }
    const queue = this.queues.get(state.name)
    const owners = state.owners.map((each) => {
      const owner = queue?.ownerBehind(each.owner) ?? each.owner
      const label = labelOf(owner)
      const { holds, heldSince } = each
      // The store knows since when the process has it, not since when that section of it.
      const since = owner === each.owner && heldSince !== undefined
      return { owner, holds, ...(label !== undefined && { label }), ...(since && { heldSince }) }
    })
    return { ...state, owners }
  }

  /** This process's tenures of that lock with nobody inside: it lingers, or its release is on its way. */
  #kept(name: string): readonly Tenure[] {
    return this.#tenuresHere(name).filter(({ holds: [last] }) => last?.stayed)
  }

  /** Those of this kind, and of others that are one lock with it. */
  #tenuresHere(name: string): readonly Tenure[] {
    return [...this.tenuresOf(name), ...(this.kin?.tenuresOf(name) ?? [])]
  }

  tenureEnded(tenure: Tenure): void {
    const queue = this.queues.get(tenure.name)
    if (queue?.callers === 0) this.lingering.leftBehind(tenure)
    this.lingering.over(tenure)
    queue?.policy.wakeNext(tenure.owner)
    this.kin?.changed(tenure)
    if (queue) this.dropIfIdle(queue)
    this.lifetime.lookWhetherDrained()
  }

  /** How many clients wait for the lock; undefined where the store does not know. */
  async countWaiting(name: string): Promise<number | undefined> {
    const elsewhere = await this.#question(name, () => this.port.countWatchers(name))
    return elsewhere === undefined ? undefined : elsewhere + (this.queues.get(name)?.waitsForItself ? 1 : 0)
  }

  /** Frees the lock, no matter which owner holds it. Tenures of this client, of every kind, learn of their loss at once. */
  async forceUnlock(name: string): Promise<boolean> {
    // Which tenure this is about must be known before: the freed lock may be this client's again when the answer comes.
    const before = this.#tenuresHere(name)
    const freed = await this.query(() => this.port.forceUnlock(name))
    if (!freed) return false
    for (const tenure of before) tenure.lose()
    return true
  }

  /** What changes nothing is answered within the time of one command, however many the store needs for it. */
  async #question<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { schedule, settings } = this
    const answering = this.query(async () => ({ answer: await ask() }))
    const answered = await withDeadline(schedule, settings.commandTimeoutMs + OWN_FAILURE_MS, answering)
    if (!answered) throw noAnswer(name, { asks: 'inspect' })
    return answered.answer
  }

  /** See {@link Lifetime.query}. */
  query<Result>(ask: () => Promise<Result>): Promise<Result> {
    return this.lifetime.query(ask)
  }
}
