import { ClosedError, LockLostError, type StoreError } from '../errors/errors.js'
import type { Emit, HoldfastEvents } from '../events/events.js'
import type { Owner, Scope } from '../identity/owner.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Kind } from '../ports/kind.js'
import type { LockPort, LockState } from '../ports/store.js'
import { KeepAlive } from '../time/keep-alive.js'
import type { Schedule } from '../time/schedule.js'
import { releaseChannel, traceRelease } from '../trace/release.js'
import { Acquisition } from './acquire/acquisition.js'
import type { Call, Refusal } from './acquire/call.js'
import { Pauses } from './acquire/pauses.js'
import type { Gate } from './queue/gate.js'
import { newGate } from './queue/new-gate.js'
import type { HoldRecord } from './tenure/hold-record.js'
import { Orphans } from './tenure/orphans.js'
import { release, releaseInMemory } from './tenure/release.js'
import type { Tenure } from './tenure/tenure.js'
import { Tenures } from './tenure/tenures.js'

export interface LockerSettings {
  readonly watchdogMs: number
  readonly storeTimeoutMs: number
  readonly maxWaiters: number
  readonly warnAfterMs: number
  readonly diagnostics: boolean
  readonly maxHandOvers: number
  readonly handOverSliceMs: number
  readonly quarantineMs: number
}

/**
 * One kind of lock in one client, on whatever store the port leads to: the gates at which its calls meet, its tenures, and what
 * cleans up behind them.
 */
export class Locker {
  readonly possession: Tenures
  readonly giveBack: Orphans
  closed = false
  /** Called when nothing is held any more; set while the client lets its sections end. */
  #onDrained: (() => void) | undefined
  #closing: Promise<void> | undefined
  /** Between tries of what somebody awaits. */
  readonly pauses: Pauses
  /** The locker of the other side, where a lock has two: reading and writing. An owner's holds on both belong together. */
  otherSide: Locker | undefined
  /** The lockers of other kinds whose lock of a name is this one's in the store: one owner has it, whichever kind it asked for. */
  rivals: readonly Locker[] = []
  readonly #gates = new Map<string, Gate>()
  readonly #acquisitions = new Set<Acquisition>()
  /** Calls that consist of several, perhaps of other kinds too. */
  readonly #compositions = new Set<Promise<unknown>>()
  readonly #releases = new Map<HoldRecord, Promise<unknown> | undefined>()
  readonly #keepAlive = new KeepAlive()

  constructor(
    readonly kind: Kind,
    readonly port: LockPort,
    readonly schedule: Schedule,
    readonly emit: Emit,
    /** Whether anybody listens: an event nobody hears need not be made. */
    readonly hears: (event: keyof HoldfastEvents) => boolean,
    readonly settings: LockerSettings,
    readonly noAnswer: (name: string) => StoreError,
    readonly nextOwner: () => Owner,
    readonly metrics: Metrics,
    /** Whether another kind of lock of this client knows the owner by that name of a lock: the store must not mix them up. */
    private readonly usedElsewhere: (name: string, owner: Owner, by: Locker) => boolean,
  ) {
    this.pauses = new Pauses(schedule)
    this.giveBack = new Orphans(port, schedule, (error) => emit('error', error))
    this.possession = new Tenures(
      port,
      schedule,
      emit,
      this.metrics,
      settings.watchdogMs,
      settings.quarantineMs,
      (gate, tenure) => {
        gate.next(tenure.owner)
        this.letIn(tenure)
        this.#dropIfIdle(gate)
        this.#lookWhetherDrained()
      },
      (tenure, releasing) => this.giveBack.follow(tenure, this.#releases.get(releasing)),
    )
  }

  /** What is alive in here; all zero when nothing is held, awaited or being cleaned up. */
  get census(): Readonly<Record<'gates' | 'calls' | 'tenures' | 'watched' | 'strays', number>> {
    return {
      gates: this.#gates.size,
      calls: this.#acquisitions.size + this.#releases.size,
      tenures: this.possession.size,
      watched: this.possession.watchdog.size,
      strays: this.giveBack.size,
    }
  }

  /** One call for the lock: granted, or refused because its time was up. Rejects when it was cancelled or the store failed. */
  acquire(call: Call): Promise<HoldRecord | Refusal> {
    const refused = this.closed || (this.#onDrained !== undefined && !this.#isInSection(call))
    if (refused || call.signal?.aborted) {
      this.metrics.cancelled()
      return Promise.reject(refused ? new ClosedError(call.name) : call.signal?.reason)
    }
    const gate = this.#gate(call.name)
    const acquisition = new Acquisition(this, gate, call)
    gate.callers += 1
    this.#keepAlive.enter()
    this.#acquisitions.add(acquisition)
    const work = acquisition.run()
    acquisition.work = work
    return work
  }

  /** A call for several locks began: when it hears that it does not get all it gives back what it has got, which is waited for. */
  compose(work: Promise<unknown>): void {
    this.#compositions.add(work)
    const ended = (): void => {
      this.#compositions.delete(work)
    }
    work.then(ended, ended)
  }

  /** A call has ended. */
  left(acquisition: Acquisition, gate: Gate): void {
    this.#acquisitions.delete(acquisition)
    this.#keepAlive.leave()
    gate.callers -= 1
    this.#dropIfIdle(gate)
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
      { name, owner, heldMs },
      () => this.#release(grant) ?? Promise.resolve(),
      () => ({ holdCount: grant.holdsLeft, handedOver: grant.passedOn }),
    )
  }

  #release(grant: HoldRecord): Promise<void> | undefined {
    if (releaseInMemory(this, grant)) return undefined
    this.#keepAlive.enter()
    this.#releases.set(grant, undefined)
    const work = release(this, grant)
    // Unless it is over already, because the lock was lost.
    if (this.#releases.has(grant)) this.#releases.set(grant, work)
    return work
  }

  /** A release has ended. */
  gaveBack(grant: HoldRecord): void {
    if (this.#releases.delete(grant)) this.#keepAlive.leave()
    this.#lookWhetherDrained()
  }

  /** Nobody of this process waits on that place in line any more. */
  leavePlace(name: string, owner: Owner): void {
    const request = { name, owner, heldBefore: 0, leaseMs: 0, waits: true }
    void this.giveBack.begin(request, Promise.resolve({ outcome: 'granted' }))
  }

  /** Gives back a hold that nobody has been told of. */
  async discard(grant: HoldRecord): Promise<void> {
    grant.released = true
    try {
      await this.#release(grant)
    } catch (error) {
      // A loss is told by the event `lost`; there is no holder to be told.
      if (!(error instanceof LockLostError)) this.emit('error', error)
    }
  }

  /**
   * As whom an acquisition for `owner` is known to the store: as that owner, unless the store has the lock down to it for another
   * call of this process, to which it was handed on (hand-over.ts), or for a tenure that it has lost, or may have it, or may yet
   * hear of a request of that owner's or of what undoes it. Where a lock has two sides the store lets in whoever the other side is
   * down to, and knows no ancestry: only a call that runs within that tenure asks as its owner, a sibling asks as another and takes
   * its turn (rule O2).
   */
  storedAs(gate: Gate, caller: Scope): Owner {
    const { owner } = caller
    const around = this.around(gate.name, caller)
    if (around) return around.storedAs
    const known = gate.tenureMetBy(owner)?.storedAs === owner || this.possession.lapsed.has(owner)
    const taken = known || this.giveBack.astray(gate.name, owner)
    return taken || this.usedElsewhere(gate.name, owner, this) ? this.nextOwner() : owner
  }

  /** The tenure on the other side within which `caller` runs. */
  around(name: string, caller: Scope): Tenure | undefined {
    const { otherSide } = this
    if (!otherSide) return undefined
    const gate = otherSide.#gates.get(name)
    const tenure = gate && otherSide.possession.current(gate, caller.owner)
    return tenure?.state === 'held' && tenure.admits(caller) ? tenure : undefined
  }

  /**
   * That hold was granted: what stands against it on the other side is over, what runs within it may enter. Where the store itself
   * has just said so, no rival has the lock.
   */
  confirmed({ tenure, handedOver }: HoldRecord): void {
    const { otherSide } = this
    if (!handedOver)
      for (const rival of this.rivals)
        for (const other of rival.#tenuresOf(tenure.name))
          if (other.state === 'held') rival.possession.lose(other, 'not-in-store', undefined)
    if (!otherSide) return
    for (const other of otherSide.#tenuresOf(tenure.name)) {
      if (other.state !== 'held') continue
      if (other.storedAs === tenure.storedAs) {
        tenure.beside = other
        other.beside = tenure
      } else {
        otherSide.possession.lose(other, 'not-in-store', undefined)
      }
    }
    this.letIn(tenure)
  }

  /** What a tenure holds has changed: calls for the other side that run within it need no turn of their own any more. */
  letIn(tenure: Tenure): void {
    const gate = this.otherSide?.gateNamed(tenure.name)
    if (!gate) return
    if (tenure.state === 'held') for (const waiter of gate.queue.admittedBy(tenure)) waiter.wakeUp.release()
    if (tenure.beside?.state === 'held') gate.next(tenure.owner)
  }

  /** Whether the store may know that owner by this locker's doing. */
  uses(name: string, owner: Owner): boolean {
    const gate = this.#gates.get(name)
    const here =
      gate?.tenures.some(({ storedAs }) => storedAs === owner) ||
      gate?.queue.firstOf(owner) ||
      gate?.queue.firstWithin(owner)
    return Boolean(here || this.possession.lapsed.has(owner) || this.giveBack.astray(name, owner))
  }

  /** Whether nobody of this process has the lock, waits for it or lets others go first. */
  isIdle(name: string): boolean {
    const gate = this.#gates.get(name)
    return !gate || (gate.callers === 0 && !gate.held && gate.backUntil <= this.schedule.clock.now())
  }

  /** The lock as the store has it, with the owners of this client's own tenure called by their names. */
  async inspect(name: string): Promise<LockState> {
    return this.translated(await this.query(() => this.port.inspect(name)))
  }

  translated(state: LockState): LockState {
    const gate = this.#gates.get(state.name)
    if (!gate?.tenures.some(({ owner, storedAs }) => owner !== storedAs)) return state
    return {
      ...state,
      owners: state.owners.map(({ owner, holds }) => ({
        owner: this.knownHere(gate, owner) ?? owner,
        holds,
      })),
    }
  }

  /** Who of this process stands behind an owner that the store names; anybody else's owner is left as it is. */
  knownHere({ tenures }: Gate, stored: Owner | undefined): Owner | undefined {
    return tenures.find(({ storedAs }) => storedAs === stored)?.owner ?? stored
  }

  /** How many clients wait for the lock. */
  async countWaiting(name: string): Promise<number> {
    const elsewhere = await this.query(() => this.port.countWatchers(name))
    return elsewhere + (this.#gates.get(name)?.waitsForItself ? 1 : 0)
  }

  /** Frees the lock, no matter which owner holds it. Tenures of this client, of every kind, learn of their loss at once. */
  async forceUnlock(name: string): Promise<boolean> {
    // Which tenure this is about must be known before: the freed lock may be this client's again when the answer comes.
    const before = [this, ...this.rivals].map((locker) => ({ locker, tenures: locker.#tenuresOf(name) }))
    const freed = await this.query(() => this.port.forceUnlock(name))
    if (!freed) return false
    for (const { locker, tenures } of before)
      for (const tenure of tenures) locker.possession.lose(tenure, 'not-in-store', undefined)
    return true
  }

  /** A command outside any tenure, awaited like every call: it keeps the process alive until it is answered. */
  async query<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.closed) throw new ClosedError()
    return await this.#keepAlive.during(ask)
  }

  /**
   * Ends all waits, and begins nothing any more but what a section that runs needs: one more hold of the lock it has. Resolves when
   * nothing is held, or given back, any more.
   */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve
      for (const { waiter } of this.#acquisitions) {
        if (!this.#isInSection(waiter.call)) waiter.cancel(new ClosedError(waiter.call.name))
      }
      this.#lookWhetherDrained()
    })
  }

  /** Whether the call's owner has the lock already, on this side or on the other. */
  #isInSection({ name, caller }: Call): boolean {
    const tenure = this.#gates.get(name)?.tenureMetBy(caller.owner)
    const has = tenure?.state === 'held' && tenure.owner === caller.owner
    return has || this.around(name, caller) !== undefined
  }

  get #empty(): boolean {
    return this.possession.size === 0 && this.#releases.size === 0
  }

  /** A lock with two sides drains on both at once: a section that holds one may still take the other. */
  #lookWhetherDrained(): void {
    if (!this.#onDrained) return
    const sides = this.otherSide ? [this, this.otherSide] : [this]
    if (sides.every((side) => side.#empty)) for (const side of sides) side.#onDrained?.()
  }

  /**
   * Ends all waits, stops the watchdog, and waits for what is on its way to the store. Frees no lock that is still held; its
   * signal aborts.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.closed = true
    this.pauses.end()
    const acquisitions = [...this.#acquisitions]
    for (const { waiter } of acquisitions) waiter.cancel(new ClosedError(waiter.call.name))
    await this.#keepAlive.during(async () => {
      await Promise.allSettled([...acquisitions.map(({ work }) => work), ...this.#compositions])
      this.possession.closeHeld(new ClosedError())
      // Whatever a call that just ended gives back is among them.
      await Promise.allSettled(this.#releases.values())
      this.possession.close(new ClosedError())
      await this.giveBack.close()
      for (const gate of this.#gates.values()) this.#dropIfIdle(gate)
    })
    this.#keepAlive.end()
  }

  /** Forgets a gate that nobody stands at, once it need not remember any more that it is the turn of others. */
  #dropIfIdle(gate: Gate): void {
    if (gate.callers > 0) return
    gate.endWatch()
    if (gate.held || this.#gates.get(gate.name) !== gate) return
    if (!this.closed && gate.backUntil > this.schedule.clock.now()) {
      this.schedule.at(gate.backUntil, () => this.#dropIfIdle(gate))
    } else {
      this.#gates.delete(gate.name)
    }
  }

  #tenuresOf(name: string): readonly Tenure[] {
    return this.#gates.get(name)?.tenures ?? []
  }

  private gateNamed(name: string): Gate | undefined {
    return this.#gates.get(name)
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name)
    if (!gate) {
      gate = newGate(name, this.port, this.schedule)
      this.#gates.set(name, gate)
    }
    return gate
  }
}
