import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import { leaseDeadline, renewalPatienceMs, renewEveryMs } from '../../port/lease.js'
import type { LeaseThread, LeaseThreadListener, ThreadLease } from '../../port/lease-thread.js'
import type { Renewed } from '../../port/lock-port.js'
import type { Services } from '../services.js'
import type { Tenure } from './tenure.js'

/** After a failed renewal it tries again this often within the time to the next regular one. */
const RETRIES_PER_RENEWAL = 10
/** How many renewals are sent in one piece: some milliseconds of work for the client. */
const RENEWAL_BATCH = 500
/** Between two batches the answers to the one before are read, and everybody else gets a turn. */
const BETWEEN_BATCHES_MS = 1
/** A lease that its thread has not renewed for so many times the usual is renewed from here as well. */
const PATIENCE_WITH_THREAD = 1.5

/**
 * Renews the leases of tenures that hold without a lease time of their own (rule L1). One handle for all of them: at each
 * third of the lease everything due goes to the store together. Each lock gets its own answer, so one that fails delays no
 * other (rule L4). The watchdog never creates a lock, and never throws. Half of its fields are for the thread that may renew instead of it.
 */
export class Watchdog {
  readonly leaseMs: number
  private readonly schedule: Schedule
  #watched = 0
  readonly #everyMs: number
  #round: TimerHandle | undefined
  readonly #thread: LeaseThread | undefined
  /** The tenures whose leases are renewed in a thread. */
  readonly #inThread = new Map<ThreadLease, Tenure>()
  readonly #threadListener: LeaseThreadListener = {
    renewed: (lease) => this.#threadSettled(lease, true),
    lost: (lease) => this.#threadSettled(lease, false),
    failed: (lease, cause) => {
      const tenure = this.#inThread.get(lease)
      if (tenure && this.#looksAfter(tenure)) this.#renewalFailed(tenure, cause)
    },
    broken: () => this.#renewDue(),
  }

  constructor(
    private readonly services: Services,
    private readonly held: Iterable<Tenure>,
  ) {
    const { port, schedule, settings } = services
    this.leaseMs = settings.watchdogMs
    this.schedule = schedule
    this.#everyMs = renewEveryMs(this.leaseMs)
    this.#thread = port.thread
  }

  /** How many tenures it looks after. */
  get size(): number {
    return this.#watched
  }

  /** Called before the acquire is sent, so that no grant is ever without its watchdog (rule L5). */
  watch(tenure: Tenure, now = this.schedule.clock.now()): void {
    if (tenure.watched) return
    tenure.watched = true
    this.#watched += 1
    this.#round ??= this.schedule.at(now + this.#everyMs, () => this.#renewAll())
  }

  /** The tenure has a hold again that is to be renewed for, after one whose time may have been over (`maxHoldMs`). */
  resume(tenure: Tenure): void {
    if (tenure.watched) {
      if (this.#thread) this.#tellThread(this.#thread, tenure)
      return
    }
    this.watch(tenure)
    this.hasten(tenure)
  }

  /**
   * The tenure is held from now on. A grant that took long to arrive has little of its lease left: it is renewed without waiting
   * for the next round.
   * @param graceMs how long that can wait all the same
   */
  hasten(tenure: Tenure, graceMs = 0, now = this.schedule.clock.now()): void {
    if (!this.#looksAfter(tenure)) return
    if (this.#thread) this.#tellThread(this.#thread, tenure)
    const oneThirdAgo = now - this.#everyMs
    if (tenure.deadline >= leaseDeadline(oneThirdAgo, this.leaseMs)) return
    if (graceMs === 0) this.#renew([tenure])
    else tenure.firstRenewal = this.schedule.at(now + graceMs, () => this.#renew([tenure]))
  }

  /** The store is out of reach, for all leases at once. */
  suspend(cause: unknown): void {
    for (const tenure of [...this.held]) if (this.#looksAfter(tenure)) this.#suspend(tenure, cause)
  }

  /** Called before the last release is sent. A renewal that is still under way then counts for nothing any more. */
  unwatch(tenure: Tenure): void {
    if (!tenure.watched) return
    tenure.watched = false
    this.#watched -= 1
    this.schedule.cancel(tenure.firstRenewal)
    if (tenure.lease) {
      this.#inThread.delete(tenure.lease)
      tenure.leaveThread()
    }
    if (this.#watched > 0) return
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }

  stop(): void {
    for (const tenure of this.held) this.unwatch(tenure)
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }

  #renewAll(): void {
    this.#round = this.schedule.at(this.schedule.clock.now() + this.#everyMs, () => this.#renewAll())
    this.#renewDue()
  }

  #renewDue(): void {
    const now = this.schedule.clock.now()
    const due: Tenure[] = []
    for (const tenure of this.held) {
      if (!this.#looksAfter(tenure) || tenure.renewUntil === undefined) continue
      if (tenure.renewUntil <= now) this.unwatch(tenure)
      else if (!this.#renewedInThread(tenure, now)) due.push(tenure)
    }
    if (due.length > RENEWAL_BATCH) due.sort((one, other) => one.deadline - other.deadline)
    this.#renewFrom(due, 0)
  }

  /** Those with the least time left first. So many at a time that the event loop does not stand still over them. */
  #renewFrom(due: readonly Tenure[], first: number): void {
    const batch = first === 0 && due.length <= RENEWAL_BATCH ? due : due.slice(first, first + RENEWAL_BATCH)
    const wanted = first === 0 ? batch : batch.filter((tenure) => this.#looksAfter(tenure))
    if (wanted.length > 0) this.#renew(wanted)
    const next = first + RENEWAL_BATCH
    if (next >= due.length) return
    this.schedule.at(this.schedule.clock.now() + BETWEEN_BATCHES_MS, () => this.#renewFrom(due, next))
  }

  #renew(due: readonly Tenure[]): void {
    const beforeSend = this.schedule.clock.now()
    const answers = this.services.port.renew(
      due.map(({ name, storedAs, permits, deadline }) => ({
        name,
        owner: storedAs,
        permits,
        leaseMs: this.leaseMs + this.services.settings.quarantineMs,
        withinMs: renewalPatienceMs(deadline - beforeSend),
      })),
    )
    due.forEach((tenure, index) => {
      answers[index]?.then(
        (renewed) => this.#settle(tenure, beforeSend, renewed),
        (error: unknown) => this.#failed(tenure, error),
      )
    })
  }

  #settle(tenure: Tenure, beforeSend: number, renewed: Renewed): void {
    if (!this.#looksAfter(tenure)) return
    if (!renewed) {
      tenure.lose()
      return
    }
    // An answer that comes after the deadline is too late: the holder has been told that it may have lost the lock.
    if (this.schedule.clock.now() >= tenure.deadline) return
    tenure.keeper?.extended(tenure, beforeSend, renewed === true ? this.leaseMs : renewed)
  }

  #failed(tenure: Tenure, cause: unknown): void {
    if (!this.#looksAfter(tenure)) return
    this.#renewalFailed(tenure, cause)
    const again = this.schedule.clock.now() + this.#everyMs / RETRIES_PER_RENEWAL
    // Past the deadline the alarm on the tenure reports the loss; there is nothing left to renew.
    if (again >= tenure.deadline) return
    this.schedule.at(again, () => {
      if (this.#looksAfter(tenure) && tenure.suspended) this.#renew([tenure])
    })
  }

  #renewalFailed(tenure: Tenure, cause: unknown): void {
    this.services.metrics.count('renewalFailures')
    // A server of several may have carried it out. One that is alone and has fallen silent is not asked for each lost lock.
    if (this.services.port.inParts) tenure.mayLast(this.schedule.clock.now() + this.leaseMs)
    this.#suspend(tenure, cause)
  }

  #suspend(tenure: Tenure, cause: unknown): void {
    if (tenure.suspended) return
    tenure.suspended = true
    const { name, owner } = tenure
    const remainingMs = Math.max(tenure.deadline - this.schedule.clock.now(), 0)
    this.services.events.emit('suspended', { name, owner, remainingMs, cause })
  }

  #tellThread(thread: LeaseThread, tenure: Tenure): void {
    const { name, storedAs, deadline, renewUntil } = tenure
    if (renewUntil === undefined) return
    if (tenure.lease) {
      tenure.lease.renewUntil = renewUntil
      return
    }
    tenure.lease = thread.add(name, storedAs, deadline, renewUntil, this.#threadListener)
    this.#inThread.set(tenure.lease, tenure)
  }

  /** Whether the thread does its work for that tenure. Whatever the reason, a lease it neglects must not be lost for that. */
  #renewedInThread(tenure: Tenure, now: number): boolean {
    if (!this.#thread?.working) return false
    this.#tellThread(this.#thread, tenure)
    return tenure.deadline >= leaseDeadline(now - PATIENCE_WITH_THREAD * this.#everyMs, this.leaseMs)
  }

  #threadSettled(lease: ThreadLease, renewed: boolean): void {
    const tenure = this.#inThread.get(lease)
    if (!tenure || !this.#looksAfter(tenure)) return
    if (!renewed) tenure.lose()
    else if (this.schedule.clock.now() < tenure.deadline) tenure.keeper?.renewed(tenure)
  }

  #looksAfter(tenure: Tenure): boolean {
    return tenure.state === 'held' && tenure.watched
  }
}
