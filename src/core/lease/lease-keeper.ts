import type { Schedule, TimerHandle } from '../../time/schedule.js'
import type { Locker } from '../locker.js'
import type { HoldRecord } from '../tenure/hold-record.js'
import { leaseDeadline } from './lease.js'

/** As often as the watchdog does it. */
const RENEWALS_PER_LEASE = 3

/**
 * Keeps leases that were asked for from ending while other locks are waited for that belong to the same call: their time is to
 * begin when all of them are held.
 */
export class LeaseKeeper {
  readonly #kept: Array<{ readonly locker: Locker; readonly grant: HoldRecord }> = []
  #round: TimerHandle | undefined

  constructor(
    private readonly schedule: Schedule,
    private readonly leaseMs: number,
  ) {}

  keep(locker: Locker, grant: HoldRecord): void {
    this.#kept.push({ locker, grant })
    // From when it was asked for: over a long way much of the lease is over when the answer comes.
    const askedAt = grant.tenure.deadline - leaseDeadline(0, this.leaseMs)
    const dueAt = askedAt + this.leaseMs / RENEWALS_PER_LEASE
    if (!this.#round) this.#round = this.#roundAt(dueAt)
    else if (dueAt < this.#round.dueAt) this.schedule.move(this.#round, dueAt)
  }

  #roundAt(dueAt: number): TimerHandle {
    return this.schedule.at(dueAt, () => {
      this.#round = this.#roundAt(this.schedule.clock.now() + this.leaseMs / RENEWALS_PER_LEASE)
      void this.renew()
    })
  }

  /** Starts all leases anew. Settles when that was answered; a failure leaves them as they are. */
  async renew(): Promise<void> {
    const beforeSend = this.schedule.clock.now()
    const standing = this.#kept.filter(({ grant }) => grant.tenure.state === 'held')
    await Promise.allSettled(
      standing.map(async ({ locker, grant: { tenure } }) => {
        const { name, storedAs: owner } = tenure
        const leaseMs = this.leaseMs + locker.settings.quarantineMs
        const [renewed] = await Promise.all(locker.port.renew([{ name, owner, leaseMs }]))
        if (tenure.state !== 'held' || !locker.possession.check(tenure)) return
        if (!renewed) {
          locker.possession.lose(tenure, 'not-in-store', undefined)
          return
        }
        tenure.extend(leaseDeadline(beforeSend, this.leaseMs))
        if (tenure.alarm) this.schedule.move(tenure.alarm, tenure.deadline)
      }),
    )
  }

  stop(): void {
    this.schedule.cancel(this.#round)
    this.#round = undefined
    this.#kept.length = 0
  }
}
