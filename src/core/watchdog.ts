import type { Emit } from '../events.js'
import type { LockPort } from '../store.js'
import { leaseDeadline } from './lease.js'
import type { Appointment, Schedule } from './schedule.js'
import type { Tenure } from './tenure.js'

/** The watchdog renews when this part of the lease is over. */
const RENEWALS_PER_LEASE = 3
/** After a failed renewal it tries again this often within the time to the next regular one. */
const RETRIES_PER_RENEWAL = 10

/**
 * Renews the leases of tenures that hold without a lease time of their own (rule L1). One appointment for all of them: at each
 * third of the lease everything due goes to the store together. Each lock gets its own answer, so one that fails delays no
 * other (rule L4). The watchdog never creates a lock, and never throws.
 */
export class Watchdog {
  readonly #watched = new Set<Tenure>()
  readonly #everyMs: number
  #round: Appointment | undefined

  constructor(
    readonly leaseMs: number,
    private readonly port: LockPort,
    private readonly schedule: Schedule,
    private readonly emit: Emit,
    private readonly onLost: (tenure: Tenure, cause: unknown) => void,
    private readonly onRenewed: (tenure: Tenure) => void,
  ) {
    this.#everyMs = leaseMs / RENEWALS_PER_LEASE
  }

  /** How many tenures it looks after. */
  get size(): number {
    return this.#watched.size
  }

  /** Called before the acquire is sent, so that no grant is ever without its watchdog (rule L5). */
  watch(tenure: Tenure): void {
    this.#watched.add(tenure)
    this.#round ??= this.schedule.at(this.schedule.clock.now() + this.#everyMs, () => this.#renewAll())
  }

  /** The tenure has a hold again that is to be renewed for, after one whose time may have been over (`maxHoldMs`). */
  resume(tenure: Tenure): void {
    if (this.#watched.has(tenure)) return
    this.watch(tenure)
    this.hasten(tenure)
  }

  /** A grant that took long to arrive has little of its lease left: it is renewed without waiting for the next round. */
  hasten(tenure: Tenure): void {
    const oneThirdAgo = this.schedule.clock.now() - this.#everyMs
    if (this.#looksAfter(tenure) && tenure.deadline < leaseDeadline(oneThirdAgo, this.leaseMs))
      this.#renew([tenure])
  }

  /** Called before the last release is sent. A renewal that is still under way then counts for nothing any more. */
  unwatch(tenure: Tenure): void {
    this.#watched.delete(tenure)
    if (this.#watched.size > 0) return
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }

  stop(): void {
    for (const tenure of [...this.#watched]) this.unwatch(tenure)
  }

  #renewAll(): void {
    const now = this.schedule.clock.now()
    this.#round = this.schedule.at(now + this.#everyMs, () => this.#renewAll())
    const due: Tenure[] = []
    for (const tenure of this.#watched) {
      // Without a hold to renew for, an acquire is under way that may bring one.
      if (tenure.state !== 'held' || tenure.renewUntil === undefined) continue
      if (tenure.renewUntil > now) due.push(tenure)
      else this.unwatch(tenure)
    }
    if (due.length > 0) this.#renew(due)
  }

  #renew(due: readonly Tenure[]): void {
    const beforeSend = this.schedule.clock.now()
    const answers = this.port.renew(due.map(({ name, storedAs }) => ({ name, owner: storedAs, leaseMs: this.leaseMs })))
    due.forEach((tenure, index) => {
      answers[index]?.then(
        (renewed) => this.#settle(tenure, beforeSend, renewed),
        (error: unknown) => this.#failed(tenure, error),
      )
    })
  }

  #settle(tenure: Tenure, beforeSend: number, renewed: boolean): void {
    if (!this.#looksAfter(tenure)) return
    if (!renewed) {
      this.onLost(tenure, undefined)
      return
    }
    // An answer that comes after the deadline is too late: the holder has been told that it may have lost the lock.
    if (this.schedule.clock.now() >= tenure.deadline) return
    tenure.suspended = false
    tenure.extend(leaseDeadline(beforeSend, this.leaseMs))
    this.onRenewed(tenure)
  }

  #failed(tenure: Tenure, cause: unknown): void {
    if (!this.#looksAfter(tenure)) return
    const { name, owner } = tenure
    const now = this.schedule.clock.now()
    if (!tenure.suspended) {
      tenure.suspended = true
      this.emit('suspended', { name, owner, remainingMs: Math.max(tenure.deadline - now, 0), cause })
    }
    const again = now + this.#everyMs / RETRIES_PER_RENEWAL
    // Past the deadline the alarm on the tenure reports the loss; there is nothing left to renew.
    if (again >= tenure.deadline) return
    this.schedule.at(again, () => {
      if (this.#looksAfter(tenure) && tenure.suspended) this.#renew([tenure])
    })
  }

  #looksAfter(tenure: Tenure): boolean {
    return tenure.state === 'held' && this.#watched.has(tenure)
  }
}
