import { LinkedSet } from '../../base/collections/linked-set.js'
import { ClosedError, type LossReason } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { Schedule } from '../../base/time/schedule.js'
import { endHold } from '../../observe/trace/hold.js'
import { isTransient, mayPass } from '../../port/failure.js'
import { leaseDeadline, renewEveryMs } from '../../port/lease.js'
import type { StoreLoss } from '../../port/store.js'
import type { Call } from '../acquire/call.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Queues } from '../queue/queues.js'
import type { Services } from '../services.js'
import { CARRIED_OUT, type Orphans } from './orphans.js'
import type { HoldRecord, Tenure, TenureKeeper } from './tenure.js'
import { Watchdog } from './watchdog.js'

/**
 * The tenures of this client: how they begin, last, are lost and end. The one writer of that state, so that grant, renewal,
 * deadline and release cannot contradict each other.
 */
export class Tenures implements TenureKeeper {
  readonly watchdog: Watchdog
  private readonly schedule: Schedule
  readonly #held = new LinkedSet<Tenure>()

  constructor(
    private readonly services: Services & {
      readonly orphans: Orphans
      readonly queues: Queues
      tenureEnded(tenure: Tenure): void
    },
  ) {
    this.schedule = services.schedule
    this.watchdog = new Watchdog(services, this.#held)
  }

  /** Tenures held now. */
  get size(): number {
    return this.#held.size
  }

  /** The tenure that a call for `owner` meets at the queue, if it still stands by the clock (rule L3: however late anybody looks). */
  current(queue: LocalQueue, owner: Owner): Tenure | undefined {
    const tenure = queue.tenures.metBy(owner)
    if (tenure?.state !== 'held' || this.stillHeld(tenure)) return tenure
    return queue.tenures.metBy(owner)
  }

  /** Compares the clock with the tenure's deadline and draws the consequence. Tells whether it is still held. */
  stillHeld(tenure: Tenure, now = this.schedule.clock.now()): boolean {
    if (tenure.state === 'over') return false
    if (now < tenure.deadline) return true
    this.#lose(tenure, endOf(tenure, now), undefined)
    return false
  }

  /**
   * Adds a hold that the store has granted; the first one begins the tenure. False when the grant came too late to be used.
   */
  granted(queue: LocalQueue, grant: HoldRecord, beforeSend: number, leaseMs: number): boolean {
    const { tenure } = grant
    if (tenure.state === 'over') return false
    tenure.extend(leaseDeadline(beforeSend, leaseMs))
    const now = this.schedule.clock.now()
    if (now >= tenure.deadline) return false
    // The store gave the lock to another owner of this process: then the tenure this process believed in is gone.
    // One that is being released is left to its own answer, which may be on its way still.
    for (const believed of queue.tenures.disprovedBy(tenure)) {
      if (believed.state === 'held') this.lose(believed)
      this.#followRelease(believed)
    }
    // Not pushed, nor spread with one more behind it: an array that has grown keeps room for sixteen others.
    tenure.holds = tenure.holds.concat(grant)
    if (tenure.state === 'pending') {
      tenure.state = 'held'
      if (tenure.handOvers === 0) tenure.since = now
      queue.began(tenure)
      this.#held.add(tenure)
      tenure.keeper = this
      this.schedule.set(tenure, tenure.deadline)
    } else this.schedule.move(tenure, tenure.deadline)
    // A first lease is shorter than the watchdog's: most holds are over before it is renewed.
    if (grant.renewUntil !== undefined)
      this.watchdog.hasten(tenure, leaseMs < this.watchdog.leaseMs ? renewEveryMs(leaseMs) : 0, now)
    return true
  }

  extended(tenure: Tenure, askedAt: number, leaseMs: number): void {
    tenure.confirmedAt(askedAt)
    tenure.extend(leaseDeadline(askedAt, leaseMs))
    tenure.lease?.extend(tenure.deadline)
    this.renewed(tenure)
  }

  /** Those within which a call is made. */
  around({ caller, holder }: Pick<Call, 'caller' | 'holder'>): readonly Tenure[] {
    return [...this.#held].filter((tenure) => tenure.isAround(caller, holder))
  }

  /** Where the tenure's lock is asked for; undefined once the tenure is over. */
  queueOf(tenure: Tenure): LocalQueue | undefined {
    return this.#held.has(tenure) ? this.services.queues.get(tenure.name) : undefined
  }

  /** The store has said so. Where that is heard after the deadline, before a late timer rang, the lease has run out: what was before is not known. */
  lose(tenure: Tenure, reason: LossReason = 'not-in-store', cause?: unknown): void {
    if (tenure.state !== 'held' || this.stillHeld(tenure)) this.#lose(tenure, reason, cause)
  }

  #lose(tenure: Tenure, reason: LossReason, cause: unknown): void {
    if (!this.end(tenure)) return
    const { name, owner } = tenure
    const stayed = tenure.holds[0]?.stayed === true
    if (reason === 'lease-expired') this.#lapsed(tenure)
    const mayStayMs = this.#mayStayMs(tenure, reason)
    if (mayStayMs > 0) this.services.orphans.leave(tenure, mayStayMs)
    const { holds } = tenure
    tenure.holds = []
    for (const hold of holds) {
      if (!stayed) hold.lost(reason, cause)
      this.holdEnded(hold)
    }
    this.services.metrics.lost(reason)
    // A lease that ran out does not mean that the lock was lost before. A store that does not know the tenure may have lost it some time ago.
    const perhapsEarlier = reason !== 'lease-expired'
    if (perhapsEarlier)
      for (const { owner } of tenure.passed)
        this.services.events.emit('lost', { name, owner, reason, cause, over: true })
    // While a lock lingers nobody holds it; but the section that ended last may have done so without it.
    if (!stayed || perhapsEarlier)
      this.services.events.emit('lost', { name, owner, reason, cause, over: stayed })
  }

  /**
   * How long the store, or a server of it that did not agree to the loss, may keep others out for a lost tenure: a request may have
   * prolonged it beyond what this process counted on. With a quarantine it is to keep them out.
   */
  #mayStayMs({ storedUntil }: Tenure, reason: LossReason): number {
    const { port, settings } = this.services
    if (reason !== 'lease-expired') return port.inParts === true ? this.watchdog.leaseMs : 0
    return settings.quarantineMs === 0 ? storedUntil - this.schedule.clock.now() : 0
  }

  /** Generously: a twentieth of the lease for the clocks, a renewal that may have been carried out, the quarantine. */
  #lapsed(tenure: Tenure): void {
    const { since, deadline } = tenure
    const allowanceMs = (deadline - since) / 20 + this.watchdog.leaseMs + this.services.settings.quarantineMs
    this.services.orphans.lapsed(tenure, this.schedule.clock.now() + allowanceMs)
  }

  /** The tenure is over: nothing renews it or watches its time any more. False when it was over before. */
  end(tenure: Tenure): boolean {
    if (!this.#held.delete(tenure)) return false
    const tenuresHere = this.services.queues.get(tenure.name)?.tenures
    if (tenuresHere?.all.includes(tenure)) this.#followRelease(tenure)
    tenure.state = 'over'
    this.watchdog.unwatch(tenure)
    this.schedule.cancel(tenure)
    tenuresHere?.ended(tenure)
    this.services.tenureEnded(tenure)
    return true
  }

  /** Nobody holds the lock, and whether the store knows is unknown. Seeing to that goes on in the background until the lease has ended. */
  abandon(tenure: Tenure, error: unknown): void {
    const { name, storedAs: owner, deadline, permits } = tenure
    const leaseMs = Math.max(deadline - this.schedule.clock.now(), 0)
    this.end(tenure)
    // For want of room nothing was done: what is there still is given back when there is room.
    const refused = mayPass(error) && !isTransient(error)
    const request = { name, owner, heldBefore: 0, leaseMs, permits }
    void this.services.orphans.begin(request, refused ? CARRIED_OUT : Promise.reject(error))
  }

  /** A tenure is forgotten while its last release is under way, which could still undo what the same owner acquires next. */
  #followRelease(tenure: Tenure): void {
    if (tenure.releasing) this.services.orphans.follow(tenure, tenure.releasing.work)
  }

  /**
   * Looks in the store whether this process still has the lock, because something was announced that may have been its end
   * (somebody has forced it open). A store that does not answer tells nothing: renewals and the deadline go on.
   */
  verify(tenure: Tenure): void {
    const { name, storedAs } = tenure
    this.services.port.inspect(name).then(
      ({ owners }) => {
        if (tenure.state === 'held' && !owners.some(({ owner }) => owner === storedAs)) this.lose(tenure)
      },
      () => undefined,
    )
  }

  /** The store has let go of that owner's lock without being asked. What is being released is left to its own answer. */
  lostInStore({ name, owner, reason, cause }: StoreLoss): void {
    for (const tenure of [...this.#held]) {
      const isIt = tenure.name === name && tenure.storedAs === owner && tenure.state === 'held'
      if (isIt) this.lose(tenure, reason, cause)
    }
  }

  /**
   * This client looks after nothing any more. What is held stays so until its lease ends, but nobody will tell.
   * @param state of those that it concerns: what is being released at the moment may have to wait for its answer
   */
  close(state?: Tenure['state']): void {
    const error = new ClosedError()
    for (const tenure of [...this.#held]) {
      if (state && tenure.state !== state) continue
      for (const hold of tenure.holds) {
        hold.unattended(error)
        this.holdEnded(hold)
      }
      this.end(tenure)
    }
  }

  /** A hold stands no more: its release was asked for, its lock was lost, or the client is closed. Counts once. */
  holdEnded(hold: HoldRecord, now = this.schedule.clock.now()): void {
    if (hold.counted) return
    hold.counted = true
    const heldMs = now - hold.grantedAt
    this.services.metrics.holdEnded(heldMs)
    endHold(hold.trace, heldMs, hold.endedBy)
  }

  renewed(tenure: Tenure): void {
    tenure.suspended = false
    this.services.metrics.count('renewals')
    for (const hold of tenure.holds) {
      if (hold.callersHold) this.services.onLasting?.(hold, hold.callersHold)
      hold.callersHold = undefined
    }
    this.schedule.move(tenure, tenure.deadline)
    const { name, owner } = tenure
    this.services.events.emit('renewed', {
      name,
      owner,
      remainingMs: tenure.deadline - this.schedule.clock.now(),
    })
  }

  due(tenure: Tenure): void {
    // While the last release is under way its answer decides: a lock given back in time was not lost.
    if (tenure.state !== 'held' || !this.stillHeld(tenure)) return
    // It was renewed in its thread meanwhile, and this one has yet to hear of it.
    this.schedule.set(tenure, tenure.deadline)
  }
}

/** How a possession has ended that the store does not know. */
export function endOf({ deadline }: Tenure, now: number): LossReason {
  return deadline === -Infinity || now < deadline ? 'not-in-store' : 'lease-expired'
}
