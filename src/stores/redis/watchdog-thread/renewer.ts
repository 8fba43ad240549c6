import type { Owner } from '../../../base/identity/owner.js'
import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import { leaseDeadline, renewalPatienceMs, renewEveryMs } from '../../../port/lease.js'
import type { Renewed, RenewRequest } from '../../../port/lock-port.js'
import type { LeaseKind } from '../renewals/lease-renewals.js'

const RETRIES_PER_RENEWAL = 10

/** A lease to renew. Times are on this thread's lease clock. */
export interface Renewable {
  readonly of: LeaseKind
  readonly name: string
  readonly owner: Owner
  deadline: number
  renewUntil: number
  /** Whether a renewal has failed since the last that succeeded. */
  suspended: boolean
}

/** Sends renewals: one answer for each. */
export type Renew = (
  requests: ReadonlyArray<RenewRequest & { readonly of: LeaseKind }>,
) => readonly Promise<Renewed>[]

/** The outcomes of renewals. */
export interface RenewalListener<Lease> {
  renewed(lease: Lease): void
  /** The first failure of a run of them. */
  failed(lease: Lease, cause: unknown): void
  /** The store no longer has it. Renewals stop. */
  lost(lease: Lease): void
}

/**
 * Renews leases, all in one flight at each third of their time. Each gets its own answer, so one that fails delays no other
 * (rule L4). It drops a lease whose deadline has passed: the holder knows that it may have lost the lock.
 */
export class Renewer<Lease extends Renewable> {
  readonly #leases = new Set<Lease>()
  readonly #everyMs: number
  #round: TimerHandle | undefined

  constructor(
    private readonly leaseMs: number,
    private readonly renew: Renew,
    private readonly schedule: Schedule,
    /** Whether the main thread may still want the leases. While it may not, the thread sends nothing. */
    private readonly wanted: () => boolean,
    private readonly listener: RenewalListener<Lease>,
  ) {
    this.#everyMs = renewEveryMs(leaseMs)
  }

  add(lease: Lease): void {
    this.#leases.add(lease)
    this.#round ??= this.#nextRound()
    this.#hasten([lease])
  }

  /** A renewal that is under way no longer counts. */
  remove(lease: Lease): void {
    this.#leases.delete(lease)
    if (this.#leases.size > 0) return
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }

  /** Makes up at once for rounds without renewals. */
  hasten(): void {
    this.#hasten(this.#leases)
  }

  #nextRound(): TimerHandle {
    return this.schedule.at(this.schedule.clock.now() + this.#everyMs, () => {
      this.#round = this.#nextRound()
      this.#renew(this.#leases)
    })
  }

  /** Leases with little time left do not wait for the next round. */
  #hasten(leases: Iterable<Lease>): void {
    const oneRoundAgo = this.schedule.clock.now() - this.#everyMs
    const late = leaseDeadline(oneRoundAgo, this.leaseMs)
    this.#renew([...leases].filter(({ deadline }) => deadline < late))
  }

  #renew(leases: Iterable<Lease>): void {
    const beforeSend = this.schedule.clock.now()
    const due: Lease[] = []
    for (const lease of leases) {
      if (lease.deadline <= beforeSend) this.remove(lease)
      else if (lease.renewUntil > beforeSend) due.push(lease)
    }
    if (due.length === 0 || !this.wanted()) return
    const { leaseMs } = this
    const answers = this.renew(
      due.map(({ of, name, owner, deadline }) => ({
        of,
        name,
        owner,
        leaseMs,
        withinMs: renewalPatienceMs(deadline - beforeSend),
      })),
    )
    due.forEach((lease, index) => {
      answers[index]?.then(
        (renewed) => this.#settle(lease, beforeSend, renewed),
        (error: unknown) => this.#failed(lease, error),
      )
    })
  }

  #settle(lease: Lease, beforeSend: number, renewed: Renewed): void {
    if (!this.#leases.has(lease)) return
    if (!renewed) {
      this.remove(lease)
      this.listener.lost(lease)
    } else if (this.schedule.clock.now() < lease.deadline) {
      lease.suspended = false
      const lastsMs = renewed === true ? this.leaseMs : renewed
      lease.deadline = Math.max(lease.deadline, leaseDeadline(beforeSend, lastsMs))
      this.listener.renewed(lease)
    }
  }

  #failed(lease: Lease, cause: unknown): void {
    if (!this.#leases.has(lease)) return
    if (!lease.suspended) {
      lease.suspended = true
      this.listener.failed(lease, cause)
    }
    const again = this.schedule.clock.now() + this.#everyMs / RETRIES_PER_RENEWAL
    if (again >= lease.deadline) return
    this.schedule.at(again, () => {
      if (this.#leases.has(lease) && lease.suspended) this.#renew([lease])
    })
  }
}
