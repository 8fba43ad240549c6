import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { Locker } from '../../core/locker.js'
import type { HoldRecord } from '../../core/tenure/tenure.js'
import { leaseDeadline, renewEveryMs } from '../../port/lease.js'

/** One of the locks that the call has taken. */
interface Held {
  readonly member: { readonly locker: Locker }
  readonly grant: HoldRecord
}

/**
 * Keeps leases that were asked for from ending while other locks are waited for that belong to the same call: their time is to
 * begin when all of them are held.
 */
export class MemberLeases {
  #round: TimerHandle | undefined

  /** @param held what the call has so far */
  constructor(
    private readonly schedule: Schedule,
    private readonly leaseMs: number,
    private readonly held: readonly Held[],
  ) {}

  /** One more is held. */
  began({ tenure }: HoldRecord): void {
    // From when it was asked for: over a long way much of the lease is over when the answer comes.
    const askedAt = tenure.deadline - leaseDeadline(0, this.leaseMs)
    const dueAt = askedAt + renewEveryMs(this.leaseMs)
    if (!this.#round) this.#round = this.#roundAt(dueAt)
    else if (dueAt < this.#round.dueAt) this.schedule.move(this.#round, dueAt)
  }

  #roundAt(dueAt: number): TimerHandle {
    return this.schedule.at(dueAt, () => {
      this.#round = this.#roundAt(this.schedule.clock.now() + renewEveryMs(this.leaseMs))
      void this.renew()
    })
  }

  /** Starts all leases anew. Settles when that was answered; a failure leaves them as they are. */
  async renew(): Promise<void> {
    const beforeSend = this.schedule.clock.now()
    const standing = this.held.filter(({ grant }) => grant.tenure.state === 'held')
    await Promise.allSettled(
      standing.map(async ({ member: { locker }, grant: { tenure } }) => {
        const { name, storedAs: owner } = tenure
        const leaseMs = this.leaseMs + locker.settings.quarantineMs
        const [renewed] = await Promise.all(locker.port.renew([{ name, owner, leaseMs }]))
        if (tenure.state !== 'held' || !locker.tenures.stillHeld(tenure)) return
        if (!renewed) {
          locker.tenures.lose(tenure, 'not-in-store', undefined)
          return
        }
        tenure.extend(leaseDeadline(beforeSend, this.leaseMs))
        this.schedule.move(tenure, tenure.deadline)
      }),
    )
  }

  stop(): void {
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }
}
