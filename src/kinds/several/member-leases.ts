import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import { extend } from '../../core/tenure/within-lease.js'
import { leaseDeadline, renewEveryMs } from '../../port/lease.js'
import type { Member } from '../acquiring/grant.js'

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
    private readonly held: readonly Member[],
  ) {}

  /** One more is held. */
  began({ locker, grant: { tenure } }: Member): void {
    // The lease counts from its request: over a long way the answer comes when much of it is over. Each client has its own clock.
    const leftMs = tenure.deadline - locker.schedule.clock.now()
    const agoMs = leaseDeadline(0, this.leaseMs) - leftMs
    const dueAt = this.schedule.clock.now() - agoMs + renewEveryMs(this.leaseMs)
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
    const standing = this.held.filter(({ grant }) => grant.tenure.state === 'held')
    await Promise.allSettled(
      standing.map(({ locker, grant: { tenure } }) => extend(locker, tenure, this.leaseMs)),
    )
  }

  stop(): void {
    this.schedule.cancel(this.#round)
    this.#round = undefined
  }
}
